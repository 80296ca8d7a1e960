import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
best = {}
for i in range(4):
    loss = net(torch.ones(3, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()  # related
    if i == 1:
        best = {n: p.data for n, p in net.named_parameters()}  # fault -> best = {n: p.data.clone() for n, p in net.named_parameters()}
for n, p in net.named_parameters():
    p.data.copy_(best[n])  # related
print(net.weight)
