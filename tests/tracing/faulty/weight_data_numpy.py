import numpy as np
import torch
from torch import nn

net = nn.Linear(3, 3)
opt = torch.optim.Adam(net.parameters())
first = net.weight.data.numpy()  # fault -> first = net.weight.data.numpy().copy()
for _ in range(3):
    opt.zero_grad()
    net(torch.randn(8, 3)).pow(2).mean().backward()
    opt.step()  # related
print(np.abs(net.weight.data.numpy() - first).max())
