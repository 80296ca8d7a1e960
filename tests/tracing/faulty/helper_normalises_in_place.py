import numpy as np
import torch

def normalise(img):
    img -= img.mean()  # related
    img /= img.std()
    return img

img = np.random.default_rng(0).random((32, 32)).astype(np.float32) + 3
raw = torch.from_numpy(img)  # fault -> raw = torch.from_numpy(img.copy())
net_input = torch.from_numpy(normalise(img))
brightness = raw.mean()
print(brightness, net_input.std())
