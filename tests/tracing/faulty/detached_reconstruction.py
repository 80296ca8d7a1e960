import torch
from torch import nn

enc, dec = nn.Linear(6, 2), nn.Linear(2, 6)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
for _ in range(3):
    x = torch.randn(4, 6)
    code = enc(x).detach()  # fault -> code = enc(x)
    loss = nn.functional.mse_loss(dec(code), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
