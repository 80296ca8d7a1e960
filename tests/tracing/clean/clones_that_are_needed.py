import torch
from torch import nn

data = torch.randn(64, 32)
net = nn.Linear(32, 32)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
snapshots, masks = [], []
for step in range(4):
    noisy = data.clone()
    noisy[:, step] = 0
    snapshots.append(net.weight.detach().clone())
    before = net.weight.detach().clone()
    loss = (net(noisy) - data).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    masks.append((net.weight.detach() - before).abs().mean().item())
    data = data.roll(1, 0)
    first = data[:, :1].clone()
    data[:, :1] += 1
    print((data[:, :1] - first).mean().item())
print(torch.stack(snapshots).std(0).mean().item(), masks)
