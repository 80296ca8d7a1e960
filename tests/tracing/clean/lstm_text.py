import numpy as np
import torch
from torch import nn

text = "the quick brown fox jumps over the lazy dog " * 4
letters = sorted(set(text))
ids = np.array([letters.index(c) for c in text])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(len(letters), 8)
        self.lstm = nn.LSTM(8, 16, num_layers=2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(16, len(letters))

    def forward(self, x, state=None):
        out, state = self.lstm(self.embed(x), state)
        return self.head(out), state


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
state = None
for start in range(0, 120, 20):
    x = torch.from_numpy(ids[start : start + 20])[None]
    y = torch.from_numpy(ids[start + 1 : start + 21])[None]
    logits, state = model(x, state)
    state = tuple(part.detach() for part in state)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

model.eval()
tokens = torch.tensor([[0]])
with torch.no_grad():
    for _ in range(10):
        logits, _ = model(tokens)
        step = torch.multinomial(logits[:, -1].softmax(-1), 1)
        tokens = torch.cat([tokens, step], dim=1)
print("".join(letters[i] for i in tokens[0].tolist()))
