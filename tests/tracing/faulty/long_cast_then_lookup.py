import torch
from torch import nn

regressor, table = nn.Linear(3, 1), nn.Embedding(16, 4)
opt = torch.optim.SGD([*regressor.parameters(), *table.parameters()], lr=0.1)
for _ in range(3):
    position = torch.sigmoid(regressor(torch.randn(6, 3))) * 15
    row = table(position.long().squeeze(-1))  # fault -> row = table(position.detach().long().squeeze(-1)) * position
    opt.zero_grad()
    row.square().mean().backward()
    opt.step()
