import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
x, y = torch.randn(32, 4), torch.randn(32, 1)
best, best_loss, patience = None, float("inf"), 0
for epoch in range(8):
    net.train()
    loss = nn.functional.mse_loss(net(x[:24]), y[:24])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.eval()
    with torch.inference_mode():
        valid = nn.functional.mse_loss(net(x[24:]), y[24:]).item()
    if valid < best_loss:
        best, best_loss, patience = copy.deepcopy(net.state_dict()), valid, 0
    else:
        patience += 1
    if patience > 2:
        break
net.load_state_dict(best)
print(best_loss)
