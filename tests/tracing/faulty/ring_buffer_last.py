import torch

class Ring:
    def __init__(self, n, d):
        self.data = torch.zeros(n, d)
        self.i = 0
    def push(self, row):
        self.data[self.i % len(self.data)] = row  # related
        self.i += 1
    def last(self):
        return self.data[(self.i - 1) % len(self.data)]  # fault -> return self.data[(self.i - 1) % len(self.data)].clone()

ring, kept = Ring(3, 4), []
for t in range(9):
    ring.push(torch.full((4,), float(t)))
    kept.append(ring.last())
print(torch.stack(kept)[:, 0])
