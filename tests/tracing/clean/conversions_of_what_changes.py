import numpy as np
import torch

pixels = np.zeros((64, 64), dtype=np.uint8)
counts = torch.zeros(5000, dtype=torch.int64)
rng = np.random.default_rng(0)
total = 0.0
for step in range(6):
    pixels[step] = rng.integers(0, 255, 64)
    frame = torch.tensor(pixels, dtype=torch.float32)
    counts += 1
    shares = counts.float()
    shares /= shares.sum()
    weights = counts.double().t().contiguous()
    total += frame.mean().item() + shares.max().item() + weights.sum().item()
fixed = torch.arange(5000)
for step in range(6):
    noise = fixed.float()
    noise.add_(step)
    total += noise.sum().item()
print(total)
