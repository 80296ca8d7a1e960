import torch

a, b = torch.randn(256, 256), torch.randn(256, 256)
total = 0.0
for _ in range(5):
    prod = (a @ b).clone()  # fault -> prod = a @ b
    total += prod.trace().item()
print(total)
