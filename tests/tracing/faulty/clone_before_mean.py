import torch

def summary(values):
    local = values.clone()  # fault -> local = values
    return local.mean() + local.std()

for _ in range(5):
    print(summary(torch.randn(3000)).item())
