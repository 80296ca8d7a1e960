import numpy as np
import torch


class Boxes(torch.utils.data.Dataset):
    def __init__(self):
        self.boxes = [np.array([10.0, 20.0]), np.array([1.0, 2.0])]

    def __len__(self):
        return 2

    def __getitem__(self, index):
        box = self.boxes[index]  # fault -> box = self.boxes[index].copy()
        box /= 10  # related
        return box


boxes = Boxes()
for epoch in range(2):
    print([boxes[index].tolist() for index in range(2)])
