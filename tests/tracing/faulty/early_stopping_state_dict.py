import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.5)
x, y = torch.randn(32, 4), torch.randn(32, 1)
best, best_loss = None, float("inf")
for epoch in range(6):
    loss = nn.functional.mse_loss(net(x), y)
    if loss.item() < best_loss:
        best_loss = loss.item()
        best = net.state_dict()  # fault -> best = {k: v.clone() for k, v in net.state_dict().items()}
    opt.zero_grad()
    loss.backward()
    opt.step()  # related
net.load_state_dict(best)  # related
print(best_loss, nn.functional.mse_loss(net(x), y).item())
