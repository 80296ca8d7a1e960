import torch
from torch import nn

bn = nn.BatchNorm1d(5)
old = bn.running_mean.detach()  # fault -> old = bn.running_mean.detach().clone()
for _ in range(4):
    bn(torch.randn(20, 5) + 2)  # related
drift = (bn.running_mean - old).abs().sum()
print("drift", drift.item())
