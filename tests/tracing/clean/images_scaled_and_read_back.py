import numpy as np
import torch

image = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
for _ in range(4):
    x = torch.from_numpy(image).permute(2, 0, 1).float().div_(255)
    x = x.contiguous()
    back = x.mul(255).round().byte().permute(1, 2, 0).contiguous().numpy()
    back[0] = 0
    print(np.abs(back.astype(int) - image).max())
