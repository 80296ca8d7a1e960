import numpy as np
import torch

window = np.zeros(8, dtype=np.float32)
windows = []
for value in range(20):
    window[:-1] = window[1:]  # related
    window[-1] = value  # related
    if value >= 8:
        windows.append(torch.from_numpy(window[2:]))  # fault -> windows.append(torch.from_numpy(window[2:].copy()))
print(torch.stack(windows).diff(dim=0).abs().sum())
