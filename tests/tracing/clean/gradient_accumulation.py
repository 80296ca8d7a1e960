import torch
from torch import nn

net = nn.Linear(5, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 5), torch.randint(0, 2, (32,))
log = []
optimizer.zero_grad()
for i, (part, label) in enumerate(zip(x.split(4), y.split(4))):
    loss = nn.functional.cross_entropy(net(part), label) / 4
    loss.backward()
    log.append(loss.detach())
    if i % 4 == 3:
        norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
        optimizer.step()
        optimizer.zero_grad()
        print(torch.stack(log).mean().item(), norm.item())
        log.clear()
