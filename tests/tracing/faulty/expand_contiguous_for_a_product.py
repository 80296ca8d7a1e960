import torch

scale = torch.rand(1, 512)
for _ in range(4):
    x = torch.randn(256, 512)
    y = x * scale.expand(256, 512).contiguous()  # fault -> y = x * scale
    print(y.sum().item())
