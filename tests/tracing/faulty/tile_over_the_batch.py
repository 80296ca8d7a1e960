import torch

anchors = torch.rand(1, 900, 4)
for _ in range(4):
    boxes = torch.rand(12, 900, 4)
    delta = boxes - torch.tile(anchors, (12, 1, 1))  # fault -> delta = boxes - anchors
    print(delta.abs().mean().item())
