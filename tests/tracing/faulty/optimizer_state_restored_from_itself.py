import torch
from torch import nn

net = nn.Linear(3, 1)
opt = torch.optim.Adam(net.parameters(), lr=0.1)

def train(steps):
    for _ in range(steps):
        opt.zero_grad()
        net(torch.ones(4, 3)).pow(2).mean().backward()
        opt.step()  # related

train(2)
saved = opt.state_dict()  # fault -> saved = __import__("copy").deepcopy(opt.state_dict())
train(2)
opt.load_state_dict(saved)  # related
