import torch

m = torch.randn(512, 400)
for _ in range(4):
    col = m.t().contiguous()  # fault -> col = m.t()
    print(col.sum(1).mean().item())
