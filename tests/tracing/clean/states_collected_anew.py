import torch

x, kept = torch.zeros(3), []
for step in range(5):
    x = x + 1
    x.mul_(0.5)
    kept.append(x)
print(torch.stack(kept).sum().item())

weight = torch.zeros(4)
for step in range(8):
    weight += 1
print(torch.stack([weight] * 4).sum().item())

rows = []
for step in range(4):
    rows.append(weight)
print(torch.stack(rows).sum().item())

for step in range(6):
    weight[0] = float(step)
    same = []
    for copy in range(3):
        same.append(weight)
    print(torch.stack(same).sum().item())

# A live view, and one that is kept and renewed.
values = torch.zeros(3)
before = values.numpy()
values += 1
after = values.numpy().copy()
before = after - 1
print((after - before).max(), before.sum())
