import torch
from torch import nn

net = nn.Linear(3, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    total = 0.0
    for _ in range(4):
        total += nn.functional.mse_loss(net(torch.randn(2, 3)), torch.zeros(2, 3)).item()  # fault -> total = total + nn.functional.mse_loss(net(torch.randn(2, 3)), torch.zeros(2, 3))
    loss = torch.tensor(total / 4, requires_grad=True)  # -> loss = total / 4
    opt.zero_grad()
    loss.backward()
    opt.step()
