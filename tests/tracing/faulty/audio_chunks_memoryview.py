import io
import numpy as np
import torch

source = io.BytesIO(np.arange(400, dtype=np.int16).tobytes())
chunk = np.empty(100, dtype=np.int16)
windows = []
for _ in range(4):
    source.readinto(memoryview(chunk))  # related
    windows.append(torch.from_numpy(chunk))  # fault -> windows.append(torch.from_numpy(chunk).clone())
print(torch.cat(windows).float().mean())
