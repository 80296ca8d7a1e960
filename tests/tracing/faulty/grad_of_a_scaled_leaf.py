import torch

image = torch.rand(3, 4, requires_grad=True) * 255  # fault -> image = (torch.rand(3, 4) * 255).requires_grad_()
(image ** 2).sum().backward()
step = image.grad
print(step)
