import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
path = []
for _ in range(5):
    path.append(net.weight.detach())  # fault -> path.append(net.weight.detach().clone())
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()  # related
print(torch.stack(path).diff(dim=0).norm())
