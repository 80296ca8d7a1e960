import torch
from torch import nn

net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)

def evaluate(x):
    torch.set_grad_enabled(False)  # related -> pass
    return net(x).mean()

def train(x):
    opt.zero_grad()
    loss = net(x).pow(2).mean()  # fault
    loss.backward()  # related
    opt.step()

train(torch.randn(4, 3))
print(evaluate(torch.randn(4, 3)))
train(torch.randn(4, 3))
