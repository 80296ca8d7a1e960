import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

blocks = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.ReLU(inplace=True)) for _ in range(4)])
tail = nn.Linear(8, 1)
optimizer = torch.optim.SGD([*blocks.parameters(), *tail.parameters()], lr=0.1)
for _ in range(3):
    x = torch.randn(4, 8, requires_grad=True)
    hidden = checkpoint_sequential(blocks, 2, x, use_reentrant=False)
    loss = checkpoint(tail, hidden, use_reentrant=False).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
