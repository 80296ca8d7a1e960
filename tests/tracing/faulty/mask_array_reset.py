import numpy as np
import torch

mask = np.ones(10, dtype=np.float32)
w = torch.randn(10, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    loss = (w * torch.from_numpy(mask)).sum()  # related -> loss = (w * torch.from_numpy(mask.copy())).sum()
    mask[:] = 0  # fault
    opt.zero_grad()
    loss.backward()
    opt.step()
    mask[i] = 1  # related
print(w.grad)
