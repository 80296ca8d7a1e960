import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
grads = []
for i in range(4):
    opt.zero_grad(set_to_none=False)  # related
    net(torch.randn(8, 4)).mean().backward()  # related
    grads.append(net.weight.grad)  # fault -> grads.append(net.weight.grad.clone())
    opt.step()
print(torch.stack(grads).std(0))
