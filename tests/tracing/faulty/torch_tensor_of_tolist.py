import numpy as np
import torch

for i in range(4):
    arr = np.random.default_rng(i).random(8000)
    t = torch.tensor(arr.tolist())  # fault -> t = torch.from_numpy(arr)
    print(t.sum().item())
