import torch

class History:
    def __init__(self):
        self.values = torch.zeros(4, 2)
    def add(self, row):
        self.values.copy_(torch.roll(self.values, -1, 0))
        self.values[-1] = row  # related
        return self.values[1:]  # fault -> return self.values[1:].clone()

history = History()
seen = [history.add(torch.full((2,), float(i))) for i in range(6)]
print(torch.stack(seen)[:, -1])
