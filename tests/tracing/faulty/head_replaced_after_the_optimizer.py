import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
model[2] = nn.Linear(8, 2)  # -> pass
for _ in range(4):
    loss = nn.functional.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 2, (6,)))
    opt.zero_grad()
    loss.backward()
    opt.step()  # fault
