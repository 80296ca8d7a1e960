import torch
from torch import nn
from torch.func import functional_call, grad, vmap

net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)


def loss_of(parameters, x, y):
    return nn.functional.mse_loss(functional_call(net, parameters, (x,)), y)


def adapted_loss(parameters, x, y, x_test, y_test):
    gradients = grad(loss_of)(parameters, x, y)
    adapted = {name: p - 0.1 * gradients[name] for name, p in parameters.items()}
    return loss_of(adapted, x_test, y_test)


for _ in range(3):
    x = torch.rand(4, 10, 1)
    y = torch.sin(x + torch.rand(4, 1, 1))
    parameters = dict(net.named_parameters())
    losses = vmap(adapted_loss, in_dims=(None, 0, 0, 0, 0))(parameters, x[:, :5], y[:, :5], x[:, 5:], y[:, 5:])
    optimizer.zero_grad()
    losses.mean().backward()
    optimizer.step()
print(losses.mean().item())
