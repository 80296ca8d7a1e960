import torch

pos = torch.randn(1, 64, 128)
for _ in range(5):
    x = torch.randn(16, 64, 128)
    y = x + pos.repeat(16, 1, 1)  # fault -> y = x + pos
    print(y.mean().item())
