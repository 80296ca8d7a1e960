import numpy as np
import torch
from torch import nn

net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
batch = np.random.rand(6, 3).astype(np.float32)
for _ in range(3):
    x = torch.from_numpy(batch)  # -> x = torch.from_numpy(batch.copy())
    out = net(x)  # related
    batch += 0.1 * np.random.rand(6, 3)  # fault
    opt.zero_grad()
    out.sum().backward()
    opt.step()
print(net.weight)
