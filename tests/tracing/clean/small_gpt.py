import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.qkv, self.out, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (p.view(batch, length, self.heads, -1).transpose(1, 2) for p in self.qkv(x).split(width, dim=2))
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        mask = torch.tril(torch.ones(length, length)).bool()
        scores = scores.masked_fill(~mask, float("-inf"))
        y = scores.softmax(-1) @ v
        return self.out(y.transpose(1, 2).contiguous().view(batch, length, width))


embed, attention, head = nn.Embedding(20, 32), Attention(32, 4), nn.Linear(32, 20, bias=False)
head.weight = embed.weight
optimizer = torch.optim.AdamW([*attention.parameters(), *head.parameters()], lr=1e-3)
data = torch.randint(0, 20, (400,))
for _ in range(4):
    starts = torch.randint(0, 380, (4,))
    x = torch.stack([data[i : i + 16] for i in starts])
    y = torch.stack([data[i + 1 : i + 17] for i in starts])
    hidden = embed(x)
    logits = head(hidden + attention(hidden))
    loss = nn.functional.cross_entropy(logits.view(-1, 20), y.view(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(attention.parameters(), 1.0)
    optimizer.step()
print(loss.item())
