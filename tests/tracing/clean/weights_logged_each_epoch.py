import numpy as np
import torch
from torch import nn

net = nn.Linear(8, 8)
optimizer = torch.optim.Adam(net.parameters())
norms = []
for epoch in range(4):
    optimizer.zero_grad()
    net(torch.randn(4, 8)).pow(2).mean().backward()
    grads = [p.grad for p in net.parameters()]
    total = torch.stack([g.norm() for g in grads]).norm()
    optimizer.step()
    weights = net.weight.detach().numpy()
    flat = np.concatenate([p.detach().numpy().ravel() for p in net.parameters()])
    norms.append((np.linalg.norm(weights), np.linalg.norm(flat), total.item()))
    state = net.state_dict()
    print(epoch, state["weight"].abs().max().item())
print(norms[-1])
