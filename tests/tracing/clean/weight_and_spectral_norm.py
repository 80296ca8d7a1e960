import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

net = nn.Sequential(weight_norm(nn.Linear(4, 8)), nn.ELU(inplace=True), spectral_norm(nn.Linear(8, 1)))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
start = {name: value.detach().clone() for name, value in net.named_parameters()}
for _ in range(4):
    optimizer.zero_grad()
    loss = net(torch.randn(16, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
print({name: (value - start[name]).norm().item() for name, value in net.named_parameters()})
