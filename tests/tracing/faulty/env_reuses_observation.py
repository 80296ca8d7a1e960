import numpy as np
import torch

class Env:
    def __init__(self):
        self.obs = np.zeros(4, dtype=np.float32)
    def step(self, action):
        self.obs += np.float32(action)  # related
        return self.obs

env, memory = Env(), []
for t in range(6):
    memory.append(torch.from_numpy(env.step(t)))  # fault -> memory.append(torch.from_numpy(env.step(t).copy()))
batch = torch.stack(memory)
print(batch.mean())
