import copy
import torch
from torch import nn

net = nn.Linear(200, 1)
batch = {"x": torch.randn(300, 200), "y": torch.randn(300, 1)}
for _ in range(4):
    local = copy.deepcopy(batch)  # fault -> local = batch
    print(nn.functional.mse_loss(net(local["x"]), local["y"]).item())
