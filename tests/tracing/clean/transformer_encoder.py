import math

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        table = torch.zeros(length, width)
        place = torch.arange(length).unsqueeze(1)
        scale = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table[:, 0::2] = torch.sin(place * scale)
        table[:, 1::2] = torch.cos(place * scale)
        self.register_buffer("table", table.unsqueeze(0))

    def forward(self, x):
        return x + self.table[:, : x.size(1)]


encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2)
embed, positions, head = nn.Embedding(12, 16), Positions(16, 32), nn.Linear(16, 12)
model = nn.ModuleList([embed, positions, encoder, head])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 3))
for _ in range(4):
    tokens = torch.randint(0, 12, (4, 10))
    mask = nn.Transformer.generate_square_subsequent_mask(9)
    out = head(encoder(positions(embed(tokens[:, :-1])), mask=mask, is_causal=True))
    loss = nn.functional.cross_entropy(out.reshape(-1, 12), tokens[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    print(float(loss))
