import torch
from torch import nn

encoder = nn.Sequential(nn.Linear(6, 6), nn.ReLU())
decoder = nn.Linear(6, 6)
opt = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()), lr=1e-3)
for _ in range(3):
    x = torch.randn(10, 6)
    with torch.no_grad():  # -> if True:
        z = encoder(x)  # fault
    loss = nn.functional.mse_loss(decoder(z), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
