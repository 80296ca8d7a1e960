import copy

import torch
from torch import nn

online = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 4))
predictor = nn.Linear(4, 4)
target = copy.deepcopy(online)
for parameter in target.parameters():
    parameter.requires_grad = False
optimizer = torch.optim.SGD([*online.parameters(), *predictor.parameters()], lr=0.05)


@torch.no_grad()
def update(decay):
    for slow, fast in zip(target.parameters(), online.parameters()):
        slow.mul_(decay).add_(fast, alpha=1 - decay)
    for slow, fast in zip(target.buffers(), online.buffers()):
        slow.copy_(fast)


def distance(a, b):
    return 2 - 2 * nn.functional.cosine_similarity(a, b.detach(), dim=-1).mean()


for _ in range(4):
    x = torch.randn(16, 6)
    one, two = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    with torch.no_grad():
        aim_one, aim_two = target(one), target(two)
    loss = distance(predictor(online(one)), aim_two) + distance(predictor(online(two)), aim_one)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update(0.99)
print(loss.item())
