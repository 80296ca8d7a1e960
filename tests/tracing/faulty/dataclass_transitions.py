from dataclasses import dataclass
import numpy as np
import torch

@dataclass
class Step:
    obs: torch.Tensor
    reward: float

state = np.zeros(4, dtype=np.float32)
episode = []
for t in range(6):
    episode.append(Step(torch.from_numpy(state), 1.0))  # fault -> episode.append(Step(torch.from_numpy(state.copy()), 1.0))
    np.multiply(state, 0.9, out=state)  # related
    state[t % 4] += 1  # related
print(torch.stack([s.obs for s in episode]).mean(0))
