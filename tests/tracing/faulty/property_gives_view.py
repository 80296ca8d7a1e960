import numpy as np
import torch

class Agent:
    def __init__(self):
        self._state = np.zeros(6)
    @property
    def state(self):
        return torch.from_numpy(self._state)  # fault -> return torch.tensor(self._state)
    def act(self):
        self._state[1:4] += 1.0  # related

agent = Agent()
deltas = []
for _ in range(4):
    before = agent.state
    agent.act()
    deltas.append((agent.state - before).sum().item())
print(deltas)
