from collections import deque
import numpy as np
import torch

frame = np.zeros((16, 16), dtype=np.float32)
stack = deque(maxlen=4)
rng = np.random.default_rng(0)
for step in range(8):
    frame[...] = rng.random((16, 16))  # related
    stack.append(torch.asarray(frame))  # fault -> stack.append(torch.asarray(frame, copy=True))
    if len(stack) == 4:
        obs = torch.stack(list(stack))
        print(obs.std(0).sum().item())
