import numpy as np
import torch

def loader(n):
    staging = np.empty((8, 3), dtype=np.float32)
    for i in range(n):
        staging[:] = i  # related
        yield torch.as_tensor(staging)  # fault -> yield torch.as_tensor(staging.copy())

batches = list(loader(4))
print(torch.cat(batches).sum())
