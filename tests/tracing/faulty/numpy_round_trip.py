import numpy as np
import torch
from torch import nn

def smooth(values):
    return np.convolve(values, np.ones(3) / 3, mode="same").astype(np.float32)

body, tail = nn.Linear(5, 16), nn.Linear(16, 1)
opt = torch.optim.SGD([*body.parameters(), *tail.parameters()], lr=0.01)
for _ in range(3):
    h = body(torch.randn(5))
    h = torch.from_numpy(smooth(h.detach().numpy()))  # fault -> h = nn.functional.avg_pool1d(h[None], 3, 1, 1)[0]
    loss = tail(h).square().sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
