import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Images(Dataset):
    def __init__(self):
        self.raw = np.random.default_rng(0).integers(0, 255, (12, 4, 4), dtype=np.uint8)
        self.scratch = np.zeros((4, 4), dtype=np.float32)
    def __len__(self):
        return 12
    def __getitem__(self, i):
        np.divide(self.raw[i], 255, out=self.scratch)  # related
        return torch.from_numpy(self.scratch)  # fault -> return torch.from_numpy(self.scratch.copy())

cache = [x for x in DataLoader(Images(), batch_size=None)]
print(torch.stack(cache).var(0).sum())
