import io

import torch
from torch import nn

net = nn.Linear(4, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)


def train(net, optimizer, steps):
    for _ in range(steps):
        loss = net(torch.randn(8, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


train(net, optimizer, 2)
file = io.BytesIO()
torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": 2}, file)
file.seek(0)
saved = torch.load(file)
again = nn.Linear(4, 2)
again.load_state_dict(saved["net"])
second = torch.optim.Adam(again.parameters(), lr=1e-2)
second.load_state_dict(saved["optimizer"])
print(train(again, second, 3), saved["step"])
