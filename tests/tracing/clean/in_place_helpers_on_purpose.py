import torch
from torch import nn


def init_(module):
    with torch.no_grad():
        weight = module.weight.view(-1)
        weight.uniform_(-0.1, 0.1)
        module.bias.data.zero_()
    return module


def normalise_(x):
    x = x.contiguous()
    x.sub_(x.mean()).div_(x.std())
    return x


def clip(values):
    values = values.float()
    values.clamp_(0, 1)
    return values


net = init_(nn.Linear(4, 4))
for _ in range(3):
    batch = torch.randn(6, 4)
    batch = normalise_(batch)
    print(net(clip(batch)).mean().item())
