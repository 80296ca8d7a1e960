import torch
from torch import nn


class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * ctx.scale * x**2, None


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x * 8) / 8

    @staticmethod
    def backward(ctx, grad):
        return grad


net = nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for _ in range(4):
    out = Rounded.apply(Cubed.apply(torch.tanh(net(torch.randn(6, 3))), 0.5))
    loss = (out - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
