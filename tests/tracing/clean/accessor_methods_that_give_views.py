import torch


class Grid:
    def __init__(self):
        self.cells = torch.zeros(6, 6)

    def row(self, i):
        return self.cells[i]

    def interior(self):
        return self.cells[1:-1, 1:-1]


grid = Grid()
rows = [grid.row(i) for i in range(6)]
for step in range(5):
    grid.row(step)[:] = step
    grid.interior().add_(1)
    print(grid.interior().sum().item(), sum(r.sum().item() for r in rows))
