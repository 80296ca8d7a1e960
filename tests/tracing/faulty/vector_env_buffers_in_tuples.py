import numpy as np
import torch

class VecEnv:
    def __init__(self, n):
        self.buf_obs, self.buf_rew = np.zeros((n, 3), np.float32), np.zeros(n, np.float32)
    def step(self):
        for i in range(len(self.buf_rew)):
            self.buf_obs[i] = np.random.rand(3)  # related
            self.buf_rew[i] = i
        return self.buf_obs, self.buf_rew

env, steps = VecEnv(2), []
for _ in range(5):
    obs, rew = env.step()
    steps.append((torch.as_tensor(obs), float(rew.sum())))  # fault -> steps.append((torch.as_tensor(obs.copy()), float(rew.sum())))
obs = torch.stack([s[0] for s in steps])
print(obs.std(0))
