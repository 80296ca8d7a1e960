import numpy as np
import torch
from torch import nn

net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
rng = np.random.default_rng(0)
array = rng.random((8, 5)).astype(np.float32)
x = torch.from_numpy(array)  # -> x = torch.from_numpy(array.copy())
for step in range(3):
    loss = net(x).pow(2).mean()  # related
    array[:] = rng.random((8, 5))  # fault
    opt.zero_grad()
    loss.backward()
    opt.step()
    x = torch.from_numpy(array)  # -> x = torch.from_numpy(array.copy())
print(net.weight.sum())
