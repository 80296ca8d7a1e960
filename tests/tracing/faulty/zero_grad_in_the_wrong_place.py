import torch
from torch import nn

net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    net(torch.ones(2, 3)).mean().backward()
    opt.zero_grad()  # -> pass
    opt.step()  # fault
