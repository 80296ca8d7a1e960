import torch

x = torch.linspace(-1, 1, 20)
y = 3 * x**2 - x + 0.5
weights = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.LBFGS([weights], max_iter=5, line_search_fn="strong_wolfe")
features = torch.stack([torch.ones_like(x), x, x**2], dim=1)


def closure():
    optimizer.zero_grad()
    loss = (features @ weights - y).pow(2).mean()
    loss.backward()
    return loss


for _ in range(4):
    before = weights.detach().clone()
    loss = optimizer.step(closure)
    print(loss.item(), (weights.detach() - before).norm().item())
