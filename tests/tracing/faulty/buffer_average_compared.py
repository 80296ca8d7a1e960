import torch

class Tracker(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))
    def forward(self, x):
        self.mean.lerp_(x.mean(0), 0.1)  # related
        return x - self.mean

tracker = Tracker()
previous = tracker.mean.detach()  # fault -> previous = tracker.mean.detach().clone()
for _ in range(3):
    tracker(torch.randn(8, 3))
print((tracker.mean - previous).norm())
