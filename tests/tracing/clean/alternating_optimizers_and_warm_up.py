import torch
from torch import nn

backbone, head = nn.Linear(4, 8), nn.Linear(8, 2)
backbone_optimizer = torch.optim.SGD(backbone.parameters(), lr=0.01)
head_optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(6):
    frozen = epoch < 3
    for p in backbone.parameters():
        p.requires_grad_(not frozen)
    loss = nn.functional.cross_entropy(head(torch.relu(backbone(torch.randn(5, 4)))), torch.tensor([0, 1, 0, 1, 1]))
    backbone_optimizer.zero_grad()
    head_optimizer.zero_grad()
    loss.backward()
    head_optimizer.step()
    if not frozen:
        backbone_optimizer.step()
print(loss.item())
