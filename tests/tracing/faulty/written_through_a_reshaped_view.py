import numpy as np
import torch

grid = np.ones((5, 5), dtype=np.float32)
flat = grid.reshape(-1)
clean = torch.as_tensor(grid)  # fault -> clean = torch.as_tensor(grid.copy())
flat[::2] = -1  # related
corrupted = torch.as_tensor(grid)
print((clean != corrupted).sum().item())
