import numpy as np
import torch

store = np.ones((10, 3), dtype=np.float32)
tensor = torch.from_numpy(store)
for i in range(10):
    store[i] = np.random.rand(3)
print(tensor.mean(), tensor.std())
tensor[0] = 5
print(store[0])
