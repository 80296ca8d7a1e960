import numpy as np
import torch

board = np.zeros(9, dtype=np.int64)
games = []
for move in (4, 0, 8, 2):
    np.put(board, move, 1)  # related
    games.append(torch.from_numpy(board))  # fault -> games.append(torch.from_numpy(board.copy()))
print(torch.stack(games).sum(1).tolist())
