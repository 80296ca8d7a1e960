import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
activations, norms = {}, []


def keep(name):
    def hook(module, inputs, output):
        activations[name] = output.detach()

    return hook


handles = [layer.register_forward_hook(keep(name)) for name, layer in net.named_modules() if name]
net[0].weight.register_hook(lambda grad: grad.clamp(-0.1, 0.1))
net[2].register_full_backward_hook(lambda module, into, outof: norms.append(outof[0].norm().item()))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(3):
    x = torch.randn(6, 4)
    hidden = net[0](x)
    hidden.retain_grad()
    loss = net[2](net[1](hidden)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print({name: value.abs().mean().item() for name, value in activations.items()}, hidden.grad.norm().item())
for handle in handles:
    handle.remove()
print(norms)
