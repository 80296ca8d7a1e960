import torch

torch.manual_seed(0)
ratings = torch.rand(8, 6)
users = torch.randn(8, 3, requires_grad=True)
items = torch.randn(6, 3, requires_grad=True)
trace = []
for _ in range(20):
    loss = (users @ items.T - ratings).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for factor in (users, items):
            factor -= 0.5 * factor.grad
            factor.grad.zero_()
    trace.append(loss.item())
print(trace[0], trace[-1])
