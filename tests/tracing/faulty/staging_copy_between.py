import torch
from torch import nn

net = nn.Linear(3, 2)
staging = torch.randn(4, 3)
loss = net(staging).pow(2).sum()  # related
staging.copy_(torch.randn(4, 3))  # fault -> staging = torch.randn(4, 3)
loss.backward()
print(net.weight.grad)
