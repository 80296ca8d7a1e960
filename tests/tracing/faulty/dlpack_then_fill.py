import numpy as np
import torch

counts = np.arange(1000, dtype=np.float64)
total = torch.from_dlpack(counts)  # fault -> total = torch.from_dlpack(counts).clone()
counts.fill(0)  # related
counts[:10] += 1
print((total / total.sum()).max())
