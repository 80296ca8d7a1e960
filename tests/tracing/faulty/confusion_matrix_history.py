import torch

conf = torch.zeros(3, 3)
history = []
g = torch.Generator().manual_seed(0)
for epoch in range(3):
    for _ in range(10):
        i, j = torch.randint(0, 3, (2,), generator=g).tolist()
        conf[i, j] += 1  # related
    history.append(conf.numpy())  # fault -> history.append(conf.numpy().copy())
print([h.sum() for h in history])
