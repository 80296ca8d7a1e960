import torch

for _ in range(4):
    rows = [torch.randn(512) for _ in range(64)]
    batch = torch.stack(rows).clone()  # fault -> batch = torch.stack(rows)
    print(batch.std().item())
