import torch
from torch import nn


class Quantizer(nn.Module):
    def __init__(self, entries, width):
        super().__init__()
        self.codebook = nn.Embedding(entries, width)

    def forward(self, z):
        distances = torch.cdist(z, self.codebook.weight)
        codes = distances.argmin(-1)
        quantized = self.codebook(codes)
        codebook_loss = nn.functional.mse_loss(quantized, z.detach())
        commitment = nn.functional.mse_loss(z, quantized.detach())
        quantized = z + (quantized - z).detach()
        return quantized, codebook_loss + 0.25 * commitment, codes


encoder, quantizer, decoder = nn.Linear(8, 4), Quantizer(16, 4), nn.Linear(4, 8)
parameters = [*encoder.parameters(), *quantizer.parameters(), *decoder.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-2)
usage = torch.zeros(16)
for _ in range(4):
    x = torch.randn(20, 8)
    quantized, extra, codes = quantizer(encoder(x))
    loss = nn.functional.mse_loss(decoder(quantized), x) + extra
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    usage += torch.bincount(codes, minlength=16)
print((usage > 0).sum().item())
