import numpy as np
import torch

for i in range(4):
    image = np.random.default_rng(i).random((3, 128, 128), dtype=np.float32)
    x = torch.tensor(image)  # fault -> x = torch.from_numpy(image)
    print(x.mean().item())
