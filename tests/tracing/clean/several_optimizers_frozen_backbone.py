import torch
from torch import nn

backbone = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU())
head, temperature = nn.Linear(8, 3), nn.Parameter(torch.ones(()))
backbone.requires_grad_(False)
backbone.eval()
head_optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
scale_optimizer = torch.optim.SGD([temperature], lr=1e-2)
for step in range(6):
    x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
    with torch.no_grad():
        features = backbone(x)
    loss = nn.functional.cross_entropy(head(features) / temperature, y)
    head_optimizer.zero_grad()
    scale_optimizer.zero_grad()
    loss.backward()
    (head_optimizer if step % 2 else scale_optimizer).step()
print(loss.item(), temperature.item())
