import torch
from torch import nn

net = nn.Linear(6, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
saved = [p.data for p in net.parameters()]  # fault -> saved = [p.data.clone() for p in net.parameters()]
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(5, 6)).sum().backward()
    opt.step()  # related
with torch.no_grad():
    for p, s in zip(net.parameters(), saved):
        p.copy_(s)  # related
print(net.weight.sum())
