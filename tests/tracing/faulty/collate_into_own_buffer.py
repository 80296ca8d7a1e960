import torch
from torch.utils.data import DataLoader

class Collate:
    def __init__(self):
        self.out = torch.empty(4, 2)
    def __call__(self, rows):
        for i, row in enumerate(rows):
            self.out[i] = row  # related
        return self.out[:len(rows)]  # fault -> return self.out[:len(rows)].clone()

rows = [torch.full((2,), float(i)) for i in range(12)]
batches = list(DataLoader(rows, batch_size=4, collate_fn=Collate()))
print(torch.cat(batches)[:, 0])
