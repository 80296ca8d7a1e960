import torch
from torch import nn

emb = nn.Embedding(20, 8)
lstm = nn.LSTM(8, 8, batch_first=True)
opt = torch.optim.SGD([*emb.parameters(), *lstm.parameters()], lr=0.1)
for _ in range(3):
    tokens = torch.randint(0, 20, (2, 5))
    words = emb(tokens).data  # fault -> words = emb(tokens)
    out, _ = lstm(words)
    opt.zero_grad()
    out.mean().backward()
    opt.step()
