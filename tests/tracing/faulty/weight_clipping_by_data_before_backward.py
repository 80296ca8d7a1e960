import torch
from torch import nn

critic = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
real = torch.randn(16, 2)
real.requires_grad_()
score = critic(real).mean()  # related
for p in critic.parameters():
    p.data.clamp_(-0.01, 0.01)  # fault -> pass
opt.zero_grad()
score.backward()
opt.step()
print(real.grad.abs().sum())
