import numpy as np
import torch
from torch import nn

data = np.random.default_rng(0).random((40, 6)).astype(np.float32)
slot = np.empty((10, 6), dtype=np.float32)
net = nn.Linear(6, 1)
inputs, outputs = [], []
for i in range(4):
    np.copyto(slot, data[i * 10:(i + 1) * 10])  # related
    x = torch.from_numpy(slot)  # fault -> x = torch.from_numpy(slot.copy())
    inputs.append(x)
    outputs.append(net(x).detach())
again = net(torch.cat(inputs))
print((again - torch.cat(outputs)).abs().max())
