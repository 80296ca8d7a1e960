import torch
from torch import nn

cell = nn.GRUCell(3, 5)
h = torch.zeros(2, 5)
states = []
with torch.no_grad():
    for t in range(6):
        h.copy_(cell(torch.randn(2, 3), h))  # related
        states.append(h.detach())  # fault -> states.append(h.detach().clone())
print(torch.stack(states).std(0).mean())
