import torch
from torch import nn


class Named(torch.Tensor):
    def __new__(cls, data, unit="m"):
        made = torch.as_tensor(data).as_subclass(cls)
        made.unit = unit
        return made

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        out = super().__torch_function__(func, types, args, kwargs or {})
        if isinstance(out, cls) and not hasattr(out, "unit"):
            out.unit = next((a.unit for a in args if isinstance(a, cls) and hasattr(a, "unit")), "m")
        return out


net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    x = Named(torch.randn(4, 2), "cm")
    loss = (net(x) - x.mean(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(type(loss).__name__, x.clone().unit)
