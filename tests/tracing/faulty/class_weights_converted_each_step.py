import numpy as np
import torch
from torch import nn

table = np.random.default_rng(0).random((500, 64)).astype(np.float32)
net = nn.Linear(64, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
fixed = torch.from_numpy(table.copy())
for _ in range(6):
    x = torch.tensor(table)  # fault -> x = fixed
    opt.zero_grad()
    net(x).mean().backward()
    opt.step()
