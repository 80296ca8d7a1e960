import torch
from torch import nn

net = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def attack(x, y, size=0.1, steps=3):
    delta = torch.empty_like(x).uniform_(-size, size).requires_grad_(True)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(net(x + delta), y)
        (slope,) = torch.autograd.grad(loss, delta)
        delta = (delta.detach() + size / 2 * slope.sign()).clamp_(-size, size).requires_grad_(True)
    return (x + delta).detach()


for _ in range(3):
    x, y = torch.rand(5, 4, 4), torch.randint(0, 2, (5,))
    loss = nn.functional.cross_entropy(net(attack(x, y)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
