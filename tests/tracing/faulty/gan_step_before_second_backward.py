import torch
from torch import nn

G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
g_opt, d_opt = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
fake = G(torch.randn(5, 2))
d_loss = D(fake.detach()).mean()
g_loss = -D(fake).mean()  # related -> pass
d_opt.zero_grad()
d_loss.backward()
d_opt.step()  # fault
g_opt.zero_grad()
g_loss = g_loss  # -> g_loss = -D(fake).mean()
g_loss.backward()
g_opt.step()
