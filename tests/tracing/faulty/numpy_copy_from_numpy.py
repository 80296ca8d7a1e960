import torch

x = torch.randn(512, 128)
for _ in range(4):
    y = torch.from_numpy(x.numpy().copy())  # fault -> y = x
    print(y.norm().item())
