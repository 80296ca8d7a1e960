import numpy as np
import torch

signal = np.linspace(-1, 1, 64)
original = torch.from_numpy(signal)  # fault -> original = torch.from_numpy(signal).clone()
signal[signal < 0] = 0  # related
clipped = torch.from_numpy(signal)
print(torch.nn.functional.mse_loss(clipped, original))
