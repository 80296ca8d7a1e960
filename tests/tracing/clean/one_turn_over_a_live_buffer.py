import sys

import numpy as np
import torch

# A buffer with sense in it at first, one turn only: what the loop writes is what it is to read.
frame = np.arange(6, dtype=np.float32)
view = torch.from_numpy(frame)
for number in range(len(sys.argv[:1])):
    frame[:] = np.sin(frame + number)
    print(view.sum().item())
