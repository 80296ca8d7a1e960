from collections import deque

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(144, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
screen = np.zeros((8, 8), dtype=np.float32)
frames = deque([screen.copy()] * 3, maxlen=3)
replay = np.zeros((30, 3, 8, 8), dtype=np.float32)
for t in range(30):
    screen[:] = rng.random((8, 8))
    frames.append(screen.copy())
    replay[t] = np.stack(frames)
    with torch.no_grad():
        action = net(torch.as_tensor(np.stack(frames))[None]).argmax(1).item()
    if t % 10 == 9:
        chosen = torch.as_tensor(replay[rng.integers(0, t + 1, 4)])
        loss = net(chosen)[:, action].pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())
