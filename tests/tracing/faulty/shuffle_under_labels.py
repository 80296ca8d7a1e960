import numpy as np
import torch

labels = np.arange(100)
rng = np.random.default_rng(0)
targets = torch.from_numpy(labels)  # fault -> targets = torch.from_numpy(labels.copy())
epochs = []
for epoch in range(3):
    rng.shuffle(labels)  # related
    epochs.append(labels[:10].sum())
print(targets[:10], epochs)
