import math
import torch
from torch import nn

net, log_scale = nn.Linear(3, 1), nn.Parameter(torch.zeros(()))
opt = torch.optim.Adam([*net.parameters(), log_scale])
for _ in range(3):
    error = net(torch.randn(5, 3)).pow(2).mean()
    loss = error * math.exp(-log_scale)  # fault -> loss = error * torch.exp(-log_scale)
    opt.zero_grad()
    loss.backward()
    opt.step()
