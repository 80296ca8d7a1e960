import copy
import torch

x = torch.randn(256, 256)
for _ in range(4):
    y = copy.deepcopy(x.clone())  # fault -> y = x.clone()
    y.add_(1)
    print(y.sum().item())
