# The weights before each step are kept as `.data`, which is the live memory: all entries show the last step.
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
history = []
for _ in range(4):
    loss = net(torch.rand(8, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    history.append(net.weight.data)  # fault -> history.append(net.weight.data.clone())
    optimizer.step()  # related
print([w.norm().item() for w in history])
