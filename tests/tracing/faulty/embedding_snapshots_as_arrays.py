import numpy as np
import torch
from torch import nn

emb = nn.Embedding(5, 2)
opt = torch.optim.SGD(emb.parameters(), lr=1.0)
frames = []
for _ in range(4):
    frames.append(emb.weight.detach().numpy())  # fault -> frames.append(emb.weight.detach().numpy().copy())
    opt.zero_grad()
    emb(torch.arange(5)).sum().backward()
    opt.step()  # related
print(np.stack(frames)[:, 0])
