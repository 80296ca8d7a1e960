import warnings

import torch

warnings.simplefilter("ignore")
x = torch.ones(3, requires_grad=True)
y = x * 2 + 1
y.pow(2).sum().backward()
print(y.grad)  # fault -> print(x.grad)
