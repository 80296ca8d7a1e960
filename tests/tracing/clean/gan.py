import torch
from torch import nn

gen = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 2))
disc = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1))
g_optimizer = torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.5, 0.999))
d_optimizer = torch.optim.Adam(disc.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
fixed = torch.randn(8, 4)
pictures = []
for _ in range(4):
    real = torch.randn(8, 2) + 3
    label = torch.ones(8, 1)
    fake = gen(torch.randn(8, 4))
    d_optimizer.zero_grad()
    d_loss = bce(disc(real), label)
    d_loss.backward()
    label.fill_(0)
    d_fake = bce(disc(fake.detach()), label)
    d_fake.backward()
    d_optimizer.step()
    g_optimizer.zero_grad()
    label.fill_(1)
    g_loss = bce(disc(fake), label)
    g_loss.backward()
    g_optimizer.step()
    with torch.no_grad():
        pictures.append(gen(fixed).detach().cpu().numpy())
print(len(pictures), pictures[0].std(), pictures[-1].std())
