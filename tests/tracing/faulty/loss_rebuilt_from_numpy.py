import numpy as np
import torch
from torch import nn

net = nn.Linear(4, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    out = net(torch.randn(2, 4))
    errors = np.abs(out.detach().numpy() - 1)  # fault -> errors = (out - 1).abs()
    loss = torch.tensor(errors.mean(), requires_grad=True)  # -> loss = errors.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
