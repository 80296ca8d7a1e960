import torch
from torch import nn

net = nn.Linear(128, 4)
def predict(batch):
    x = batch.clone()  # fault -> x = batch
    return net(x).argmax(1)

data = torch.randn(2000, 128)
hits = 0
for i in range(5):
    hits += int(predict(data[i * 400:(i + 1) * 400]).sum())
print(hits)
