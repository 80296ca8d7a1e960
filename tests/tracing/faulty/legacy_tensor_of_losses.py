import torch
from torch import nn

net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    losses = [net(torch.randn(4, 2)).pow(2).mean() for _ in range(3)]
    loss = torch.FloatTensor(losses).mean().requires_grad_()  # fault -> loss = torch.stack(losses).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
