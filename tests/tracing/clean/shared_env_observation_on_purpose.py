import numpy as np
import torch
from torch import nn

net = nn.Linear(4, 2)
observation = np.ones(4, dtype=np.float32)
live = torch.from_numpy(observation)
actions = []
for t in range(6):
    with torch.no_grad():
        actions.append(net(live).argmax().item())
    observation *= 0.9
    observation[t % 4] += 1
trajectory = []
for t in range(3):
    trajectory.append(live.clone())
    observation[:] = t
print(actions, torch.stack(trajectory).mean())
