import contextlib
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(1, 4, 3, padding=1)
        self.head = nn.Linear(4, 3)
    @torch.no_grad()  # -> @contextlib.contextmanager
    def _unused(self):
        yield
    @torch.no_grad()  # -> # nothing
    def features(self, x):
        return self.stem(x).mean(-1)  # fault
    def forward(self, x):
        return self.head(self.features(x))

model = Model()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = nn.functional.cross_entropy(model(torch.randn(4, 1, 7)), torch.tensor([0, 1, 2, 0]))
    opt.zero_grad()
    loss.backward()
    opt.step()
