import torch

ids = torch.arange(100_000)
weights = torch.rand(100_000)
ready = ids.float()
for epoch in range(6):
    positions = ids.float()  # fault -> positions = ready
    print((positions * weights).sum().item())
