import torch
from torch import nn

policy, reader = nn.Linear(4, 5), nn.Embedding(5, 3)
optimizer = torch.optim.Adam([*policy.parameters(), *reader.parameters()], lr=1e-2)
baseline = 0.0
for _ in range(4):
    x = torch.randn(7, 4)
    logits = policy(x)
    distribution = torch.distributions.Categorical(logits=logits)
    choice = distribution.sample()
    read = reader(choice)
    reward = -(read - 1).pow(2).mean(-1)
    advantage = reward.detach() - baseline
    baseline = 0.9 * baseline + 0.1 * reward.mean().item()
    loss = -(distribution.log_prob(choice) * advantage).mean() - reward.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    accuracy = (logits.argmax(-1) == choice).float().mean()
print(accuracy.item(), loss.item())
