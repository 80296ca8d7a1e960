import torch
from torch import nn

net, scale = nn.Linear(2, 2), torch.ones(2)
x = torch.randn(3, 2)
loss = (net(x) * scale).sum()  # related
scale.mul_(0.5)  # fault -> scale = scale * 0.5
loss.backward()
