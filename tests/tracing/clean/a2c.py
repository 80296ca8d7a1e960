import numpy as np
import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 16), nn.Tanh())
        self.policy, self.value = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        hidden = self.body(x)
        return torch.distributions.Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
rng = np.random.default_rng(0)
state = rng.standard_normal(3).astype(np.float32)
for _ in range(4):
    log_probs, values, rewards, entropies = [], [], [], []
    for _ in range(6):
        distribution, value = model(torch.from_numpy(state))
        action = distribution.sample()
        log_probs.append(distribution.log_prob(action))
        values.append(value)
        entropies.append(distribution.entropy())
        rewards.append(float(action.item() == (state[0] > 0)))
        state = rng.standard_normal(3).astype(np.float32)
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + 0.9 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    values = torch.stack(values)
    advantage = returns - values.detach()
    actor_loss = -(torch.stack(log_probs) * advantage).mean()
    critic_loss = nn.functional.mse_loss(values, returns)
    loss = actor_loss + 0.5 * critic_loss - 0.01 * torch.stack(entropies).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
