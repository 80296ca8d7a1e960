import torch
from torch import nn

steps = 20
betas = torch.linspace(1e-3, 0.2, steps)
kept = torch.cumprod(1 - betas, 0)
net = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 2))
average = {name: p.detach().clone() for name, p in net.named_parameters()}
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    x, t = torch.randn(16, 2) * 0.1 + 1, torch.randint(0, steps, (16,))
    noise = torch.randn_like(x)
    a = kept[t].sqrt()[:, None]
    noisy = a * x + (1 - a**2).sqrt() * noise
    loss = nn.functional.mse_loss(net(torch.cat([noisy, t[:, None] / steps], 1)), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for name, p in net.named_parameters():
        average[name].lerp_(p.detach(), 0.1)
with torch.no_grad():
    sample = torch.randn(4, 2)
    for t in reversed(range(steps)):
        guess = net(torch.cat([sample, torch.full((4, 1), t / steps)], 1))
        sample = (sample - betas[t] / (1 - kept[t]).sqrt() * guess) / (1 - betas[t]).sqrt()
        if t:
            sample += betas[t].sqrt() * torch.randn_like(sample)
print(sample.mean().item(), loss.item())
