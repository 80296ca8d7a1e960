import struct
import numpy as np
import torch

raw = bytearray(4 * 8)
view = np.frombuffer(memoryview(raw), dtype=np.float32)
rows = []
for i in range(5):
    struct.pack_into("8f", raw, 0, *[float(i + j) for j in range(8)])  # related
    rows.append(torch.from_numpy(view))  # fault -> rows.append(torch.from_numpy(view.copy()))
print(torch.stack(rows)[:, 0].tolist())
