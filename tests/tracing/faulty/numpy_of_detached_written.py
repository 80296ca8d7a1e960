import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
h = net(torch.randn(2, 3))  # related
plot = h.detach().numpy()  # -> plot = h.detach().numpy().copy()
plot *= 100  # fault
h.sum().backward()
print(net[0].weight.grad.abs().max(), plot.max())
