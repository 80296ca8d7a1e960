import torch

w = torch.randn(4, requires_grad=True)
gate = torch.sigmoid(w * 3)  # related
gate.data.clamp_(0.1, 0.9)  # fault -> gate = gate.clamp(0.1, 0.9)
gate.sum().backward()
print(w.grad)
