import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
table = rng.normal(5, 3, (40, 4)).astype(np.float32)
table -= table.mean(0)
table /= table.std(0)
np.clip(table, -3, 3, out=table)
target = table[:, 0] * 2
x, y = torch.from_numpy(table), torch.from_numpy(target)[:, None]
x.mul_(0.5)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    order = torch.randperm(40)
    for part in order.split(10):
        loss = nn.functional.mse_loss(net(x[part]), y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())
