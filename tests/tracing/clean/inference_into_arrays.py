import numpy as np
import torch
from torch import nn

net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)).eval()
data = np.random.default_rng(0).standard_normal((50, 6)).astype(np.float32)
scores = np.empty((50, 3), dtype=np.float32)
labels = np.zeros(50, dtype=np.int64)
features = []
with torch.inference_mode():
    for start in range(0, 50, 10):
        part = slice(start, start + 10)
        out = net(torch.from_numpy(data[part]))
        scores[part] = out.softmax(1).numpy()
        labels[part] = out.argmax(1).numpy()
        features.append(out.numpy())
counts = np.bincount(labels, minlength=3)
print(scores.sum(), counts, np.concatenate(features).shape)
