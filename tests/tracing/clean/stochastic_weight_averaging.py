import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn

net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
averaged = AveragedModel(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = SWALR(optimizer, swa_lr=0.05)
batches = [torch.randn(8, 4) for _ in range(3)]
for epoch in range(4):
    for x in batches:
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()
    if epoch > 1:
        averaged.update_parameters(net)
        schedule.step()
update_bn(batches, averaged)
averaged.eval()
print(averaged(batches[0]).mean().item())
