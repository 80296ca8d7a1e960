import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU())
        self.mean, self.log_var = nn.Linear(16, 3), nn.Linear(16, 3)
        self.decoder = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 12))

    def forward(self, x):
        hidden = self.encoder(x)
        mean, log_var = self.mean(hidden), self.log_var(hidden)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_var)
        return torch.sigmoid(self.decoder(z)), mean, log_var


model = VAE()
optimizer = torch.optim.Adam(model.parameters())
total = 0.0
for _ in range(4):
    x = torch.rand(10, 12)
    out, mean, log_var = model(x)
    rebuilt = nn.functional.binary_cross_entropy(out, x, reduction="sum")
    kl = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    loss = rebuilt + kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.detach()
print(total.item() / 4)
