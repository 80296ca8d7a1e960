import torch

mask = torch.ones(128, 128).tril().bool()
scores = torch.randn(128, 128)
ready = mask.float()
for _ in range(6):
    out = scores * mask.to(torch.float32)  # fault -> out = scores * ready
    print(out.sum().item())
