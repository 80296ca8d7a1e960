import numpy as np
import torch
from torch import nn

actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()])
for _ in range(2):
    values, logps = [], []
    for _ in range(4):
        s = torch.randn(3)
        dist = torch.distributions.Categorical(logits=actor(s))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        values.append(critic(s).item())  # fault -> values.append(critic(s).squeeze())
    returns = np.ones(4, dtype=np.float32)
    v = torch.tensor(np.array(values, dtype=np.float32))  # -> v = torch.stack(values)
    advantage = torch.from_numpy(returns) - v
    loss = -(torch.stack(logps) * advantage.detach()).mean() + advantage.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
