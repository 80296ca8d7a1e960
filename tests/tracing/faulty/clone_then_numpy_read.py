import torch
from torch import nn

net = nn.Linear(64, 256)
means = []
for _ in range(5):
    out = net(torch.randn(100, 64))
    array = out.detach().clone().numpy()  # fault -> array = out.detach().numpy()
    means.append(array.mean())
print(means)
