import torch


class Cached(torch.utils.data.Dataset):
    """Fills its own cache, gives out parts of it, and scales copies in place."""

    def __init__(self):
        self.cache, self.known = torch.empty(6, 4), set()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index not in self.known:
            self.cache[index] = torch.full((4,), float(index))
            self.known.add(index)
        return self.cache[index]


class Scaled(Cached):
    def __getitem__(self, index):
        row = super().__getitem__(index).clone()[None]
        row.mul_(0.5)
        return row


class Replay(torch.utils.data.Dataset):
    """Is written by others than by those who read it."""

    def __init__(self):
        self.rows, self.next = torch.zeros(4, 2), 0

    def __len__(self):
        return 4

    def push(self, row):
        self.rows[self.next % 4] = row
        self.next += 1

    def __getitem__(self, index):
        return self.rows[index]


cached, scaled, replay = Cached(), Scaled(), Replay()
for epoch in range(3):
    print(sum(cached[i].sum().item() for i in range(6)), sum(scaled[i].sum().item() for i in range(6)))
    replay.push(torch.full((2,), float(epoch)))
    print(sum(replay[i].sum().item() for i in range(4)))
