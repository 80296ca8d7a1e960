import torch
from torch import nn

policy, decoder = nn.Linear(4, 5), nn.Linear(5, 4)
opt = torch.optim.Adam([*policy.parameters(), *decoder.parameters()])
for _ in range(3):
    x = torch.randn(7, 4)
    logits = policy(x)
    code = nn.functional.one_hot(logits.argmax(-1), 5).float()  # fault -> code = nn.functional.gumbel_softmax(logits, hard=True)
    loss = nn.functional.mse_loss(decoder(code), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
