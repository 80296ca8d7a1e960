import numpy as np
import torch
from torch import nn

labels = np.random.default_rng(0).integers(0, 3, 4000)
net = nn.Linear(2, 3)
x = torch.randn(4000, 2)
fixed = torch.from_numpy(labels.copy())
for _ in range(6):
    y = torch.tensor(labels)  # fault -> y = fixed
    print(nn.functional.cross_entropy(net(x), y).item())
