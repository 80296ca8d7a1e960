import torch

x = torch.randn(300, 300)
for _ in range(4):
    y = x.double().float()  # fault -> y = x
    print((y * 2).sum().item())
