import torch

w = torch.ones(3, requires_grad=True)
table = torch.zeros(4, 3)
out = []
for i in range(4):
    table[i] = w * i  # fault -> table = torch.cat([table[:i], (w * i)[None], table[i + 1:]])
    out.append((table[i] ** 2).sum())  # related
torch.stack(out).sum().backward()
print(w.grad)
