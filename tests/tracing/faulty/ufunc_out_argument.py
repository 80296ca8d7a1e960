import numpy as np
import torch

def advance(position, velocity):
    np.add(position, velocity, out=position)  # related

position = np.zeros(128, dtype=np.float32)
velocity = np.ones(128, dtype=np.float32)
start = torch.from_numpy(position)  # fault -> start = torch.tensor(position)
for _ in range(10):
    advance(position, velocity)
moved = torch.from_numpy(position) - start
print(moved.norm())
