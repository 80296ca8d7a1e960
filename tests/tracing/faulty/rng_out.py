import numpy as np
import torch

rng = np.random.default_rng(1)
noise = np.empty((32, 2))
samples = []
for _ in range(3):
    rng.standard_normal(out=noise)  # related
    samples.append(torch.from_numpy(noise))  # fault -> samples.append(torch.from_numpy(noise).clone())
print(torch.stack(samples).std(dim=0).mean())
