import numpy as np
import torch

rng = np.random.default_rng(0)
for _ in range(3):
    rows = [rng.random(200) for _ in range(50)]
    batch = torch.tensor(rows)  # fault -> batch = torch.from_numpy(np.stack(rows))
    print(batch.shape)
