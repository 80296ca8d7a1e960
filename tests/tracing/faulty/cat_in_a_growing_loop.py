import torch

seen = torch.empty(0, 64)
parts = []
for i in range(40):
    rows = torch.randn(32, 64)
    seen = torch.cat([seen, rows])  # fault -> parts.append(rows)
seen = torch.cat([seen, *parts])
print(seen.shape)
