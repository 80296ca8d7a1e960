import torch
from torch import nn

scorer, head = nn.Linear(4, 1), nn.Linear(4, 2)
opt = torch.optim.Adam([*scorer.parameters(), *head.parameters()])
for _ in range(3):
    x = torch.randn(10, 4)
    chosen = scorer(x).squeeze(-1).argsort()[:3]  # fault -> chosen = scorer(x).squeeze(-1).sigmoid()
    out = head(x[chosen])  # -> out = head(x * chosen[:, None])
    loss = out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
