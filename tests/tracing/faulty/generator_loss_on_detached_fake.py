import torch
from torch import nn

gen, disc = nn.Linear(2, 4), nn.Linear(4, 1)
g_opt = torch.optim.Adam(gen.parameters())
d_opt = torch.optim.Adam(disc.parameters())
bce = nn.BCEWithLogitsLoss()
for _ in range(3):
    fake = gen(torch.randn(8, 2)).detach()  # fault -> fake = gen(torch.randn(8, 2))
    d_loss = bce(disc(torch.randn(8, 4)), torch.ones(8, 1)) + bce(disc(fake.detach()), torch.zeros(8, 1))
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = bce(disc(fake), torch.ones(8, 1))
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
