import copy
import torch
from torch import nn

base = nn.Linear(4, 2)
opt = torch.optim.SGD(base.parameters(), lr=0.1)
model = copy.deepcopy(base)  # -> model = base
for _ in range(4):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()  # fault
print(loss)
