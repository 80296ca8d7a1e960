import torch
from torch import nn

gen = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_optimizer, c_optimizer = torch.optim.Adam(gen.parameters()), torch.optim.Adam(critic.parameters())
for _ in range(3):
    for _ in range(2):
        real, fake = torch.randn(8, 2), gen(torch.randn(8, 2)).detach()
        mix = torch.rand(8, 1)
        between = (mix * real + (1 - mix) * fake).requires_grad_(True)
        scores = critic(between)
        (slope,) = torch.autograd.grad(scores, between, torch.ones_like(scores), create_graph=True)
        penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
        c_optimizer.zero_grad()
        loss.backward()
        c_optimizer.step()
    g_loss = -critic(gen(torch.randn(8, 2))).mean()
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
print(loss.item(), g_loss.item())
