import torch

def standardise(x):
    y = x.to(torch.float32)  # fault -> y = x.to(torch.float32, copy=True)
    y.sub_(y.mean()).div_(y.std())  # related
    return y

heights = torch.tensor([150.0, 160.0, 170.0, 180.0])
z = standardise(heights)
print(z, heights.mean())
