import torch

x = torch.randn(5000)
for _ in range(4):
    y = torch.tensor(sorted(x.tolist()))  # -> y = x.sort().values
    z = torch.tensor(x.tolist())  # fault -> z = x
    print((y * z).sum().item())
