import numpy as np
import torch
from torch import nn

truth = np.linspace(0, 2, 20).astype(np.float32)
target = torch.from_numpy(truth)  # fault -> target = torch.from_numpy(truth.copy())
np.clip(truth, 0, 1, out=truth)  # related
clipped = torch.from_numpy(truth)
print(nn.functional.l1_loss(clipped, target))
