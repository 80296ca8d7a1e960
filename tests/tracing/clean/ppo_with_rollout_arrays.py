import numpy as np
import torch
from torch import nn

STEPS, ENVS, WIDTH = 8, 2, 3


class Envs:
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.states = np.zeros((ENVS, WIDTH), dtype=np.float32)

    def step(self, actions):
        self.states += 0.1 * (actions[:, None] * 2 - 1)
        self.states += self.rng.normal(0, 0.01, self.states.shape).astype(np.float32)
        return self.states.copy(), -np.abs(self.states).sum(1)


envs = Envs()
actor, critic = nn.Linear(WIDTH, 2), nn.Linear(WIDTH, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-3)
observations = np.zeros((STEPS, ENVS, WIDTH), dtype=np.float32)
actions = np.zeros((STEPS, ENVS), dtype=np.int64)
log_probs, rewards, values = (np.zeros((STEPS, ENVS), dtype=np.float32) for _ in range(3))
observation = envs.states.copy()
for update in range(3):
    for t in range(STEPS):
        with torch.no_grad():
            now = torch.from_numpy(observation)
            distribution = torch.distributions.Categorical(logits=actor(now))
            action = distribution.sample()
            values[t] = critic(now).squeeze(-1).numpy()
            log_probs[t] = distribution.log_prob(action).numpy()
        observations[t], actions[t] = observation, action.numpy()
        observation, rewards[t] = envs.step(action.numpy())
    advantages = np.zeros_like(rewards)
    last = np.zeros(ENVS, dtype=np.float32)
    for t in reversed(range(STEPS)):
        following = values[t + 1] if t + 1 < STEPS else np.zeros(ENVS)
        last = rewards[t] + 0.99 * following - values[t] + 0.95 * last
        advantages[t] = last
    returns = advantages + values
    flat_obs = torch.from_numpy(observations.reshape(-1, WIDTH))
    flat_actions = torch.from_numpy(actions.reshape(-1))
    old = torch.from_numpy(log_probs.reshape(-1))
    gain = torch.from_numpy(advantages.reshape(-1))
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    aim = torch.from_numpy(returns.reshape(-1))
    for _ in range(2):
        order = np.random.permutation(STEPS * ENVS)
        for part in np.array_split(order, 2):
            part = torch.from_numpy(part)
            distribution = torch.distributions.Categorical(logits=actor(flat_obs[part]))
            ratio = (distribution.log_prob(flat_actions[part]) - old[part]).exp()
            clipped = torch.clamp(ratio, 0.8, 1.2) * gain[part]
            policy_loss = -torch.min(ratio * gain[part], clipped).mean()
            value_loss = (critic(flat_obs[part]).squeeze(-1) - aim[part]).pow(2).mean()
            loss = policy_loss + 0.5 * value_loss - 0.01 * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(critic.parameters(), 0.5)
            optimizer.step()
print(loss.item())
