import copy

import torch
from torch import nn

teacher = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
student = nn.Linear(4, 3)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
for _ in range(4):
    x = torch.randn(9, 4)
    labels = teacher(x).argmax(-1)
    soft = teacher(x).detach().softmax(-1)
    out = student(x)
    loss = nn.functional.cross_entropy(out, labels) + nn.functional.kl_div(out.log_softmax(-1), soft, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
kept = copy.deepcopy(student.state_dict())
student.load_state_dict(kept)
print(loss.item())
