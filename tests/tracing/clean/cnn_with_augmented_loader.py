import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self):
        self.images = np.random.default_rng(0).integers(0, 255, (16, 8, 8, 3), dtype=np.uint8)
        self.labels = np.arange(16) % 3

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].astype(np.float32)
        if index % 2:
            image = image[:, ::-1]
        image -= image.mean()
        image /= image.std() + 1e-6
        return torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))), self.labels[index]


net = nn.Sequential(
    nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(2):
    running, correct = 0.0, 0
    for x, y in DataLoader(Images(), batch_size=8, shuffle=True):
        logits = net(x)
        loss = nn.functional.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item() * len(x)
        correct += (logits.argmax(1) == y).sum().item()
    print(epoch, running / 16, correct)
