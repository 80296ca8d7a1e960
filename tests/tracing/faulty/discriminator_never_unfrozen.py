import torch
from torch import nn

gen, disc = nn.Linear(2, 4), nn.Linear(4, 1)
g_opt, d_opt = torch.optim.SGD(gen.parameters(), lr=0.1), torch.optim.SGD(disc.parameters(), lr=0.1)
for _ in range(4):
    disc.requires_grad_(False)  # fault
    g_opt.zero_grad()
    (-disc(gen(torch.randn(8, 2)))).mean().backward()
    g_opt.step()
    x = torch.randn(8, 4)
    x.requires_grad_()
    disc.requires_grad_(False)  # related -> disc.requires_grad_(True)
    d_opt.zero_grad()
    disc(x).mean().backward()
    d_opt.step()  # related
