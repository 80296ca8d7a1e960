import torch
from torch import nn

net = nn.Linear(4, 4)
ema = [p.detach() for p in net.parameters()]  # fault -> ema = [p.detach().clone() for p in net.parameters()]
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(4):
    opt.zero_grad()
    net(torch.randn(6, 4)).pow(2).mean().backward()
    opt.step()
    for e, p in zip(ema, net.parameters()):
        e.mul_(0.9).add_(p.detach(), alpha=0.1)  # related
print(sum((e - p).abs().sum() for e, p in zip(ema, net.parameters())))
