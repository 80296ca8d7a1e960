import warnings
import torch
from torch import nn

warnings.simplefilter("ignore")
embed, head = nn.Embedding(10, 4), nn.Linear(4, 1)
opt = torch.optim.Adam([*embed.parameters(), *head.parameters()])
for _ in range(3):
    vectors = embed(torch.randint(0, 10, (6,)))
    pooled = vectors.new_tensor(vectors.mean(0, keepdim=True))  # fault -> pooled = vectors.mean(0, keepdim=True)
    loss = head(pooled).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
