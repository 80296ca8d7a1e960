# `.data` of live parameters in uses that mean the live memory: read and dropped, kept once, or written on purpose.
import torch
from torch import nn

torch.manual_seed(0)
net, target = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
live = [p.data for p in net.parameters()]
norms, latest = [], {}
for _ in range(4):
    loss = net(torch.rand(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    weight = net.weight.data
    norms.append(weight.norm().item())
    latest["weight"] = net.weight.data
    for mine, theirs in zip(target.parameters(), net.parameters()):
        mine.data.mul_(0.9).add_(theirs.data, alpha=0.1)
print(norms, len(live), latest["weight"].norm().item())
