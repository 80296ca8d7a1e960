import random
from collections import deque

import numpy as np
import torch
from torch import nn


class Corridor:
    def reset(self):
        self.place = np.zeros(2, dtype=np.float32)
        return self.place.copy()

    def step(self, action):
        self.place[action] += 0.5
        return self.place.copy(), float(-abs(self.place.sum() - 2)), bool(self.place.sum() > 3)


env, memory = Corridor(), deque(maxlen=100)
policy, target = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2)), nn.Linear(2, 2)
target = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
target.load_state_dict(policy.state_dict())
optimizer = torch.optim.RMSprop(policy.parameters(), lr=1e-2)
observation = env.reset()
for step in range(40):
    if random.random() < 0.3:
        action = random.randrange(2)
    else:
        with torch.no_grad():
            action = policy(torch.from_numpy(observation)).argmax().item()
    after, reward, done = env.step(action)
    memory.append((observation, action, reward, after, done))
    observation = env.reset() if done else after
    if len(memory) < 16:
        continue
    batch = random.sample(memory, 16)
    states = torch.from_numpy(np.stack([b[0] for b in batch]))
    actions = torch.tensor([b[1] for b in batch])
    rewards = torch.tensor([b[2] for b in batch])
    following = torch.from_numpy(np.stack([b[3] for b in batch]))
    going = torch.tensor([not b[4] for b in batch])
    q = policy(states).gather(1, actions[:, None]).squeeze(1)
    with torch.no_grad():
        aim = rewards + 0.9 * target(following).max(1).values * going
    loss = nn.functional.smooth_l1_loss(q, aim)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        target.load_state_dict(policy.state_dict())
print(loss.item())
