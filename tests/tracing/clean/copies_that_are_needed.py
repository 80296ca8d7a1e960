import copy
import io

import numpy as np
import torch
from torch import nn

net = nn.Linear(64, 64)
data = torch.randn(200, 64)
generator = torch.Generator().manual_seed(0)


def augmented(batch):
    batch = batch.clone()
    if torch.rand((), generator=generator) < 0.05:
        batch[:, 0] = 0
    return batch


def noisy(batch):
    out = batch.clone()
    if torch.rand((), generator=generator) < 0.01:
        out += 1
    return out.mean()


kept = []
for step in range(5):
    x = augmented(data)
    kept.append(noisy(data).item() + net(x).mean().item())
    probe = data.clone().requires_grad_()
    net(probe).sum().backward()
    kept.append(probe.grad.norm().item())
    part = data[:40].clone()
    torch.save(part, io.BytesIO())
    before = data.clone()
    data.mul_(0.9)
    kept.append((data - before).norm().item())
    array = data.clone().numpy()
    array += 1
    kept.append(array.mean())
    rounded = data.bfloat16().float()
    whole = (data * 10).long().float()
    kept.append((rounded - data).norm().item() + whole.sum().item())
    batch = {"x": data, "y": torch.ones(200, 32)}
    local = copy.deepcopy(batch)
    local["x"].add_(1)
    kept.append(local["y"].sum().item())
    table = np.random.default_rng(step).random((200, 64))
    tensor = torch.tensor(table)
    table[:] = 0
    kept.append(tensor.mean().item() + table.sum())

tokens = torch.zeros(1, 600, dtype=torch.long)
embed = nn.Embedding(10, 8)
with torch.no_grad():
    for _ in range(12):
        step = embed(tokens).mean(-1).argmax(-1, keepdim=True) % 10
        tokens = torch.cat([tokens, step], dim=1)
print(len(kept), tokens.shape)
