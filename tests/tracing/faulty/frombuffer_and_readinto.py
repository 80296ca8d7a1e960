import io
import torch

stream = io.BytesIO(bytes(range(256)))
chunk = bytearray(64)
chunks = []
while stream.readinto(chunk) == 64:  # related
    chunks.append(torch.frombuffer(chunk, dtype=torch.uint8))  # fault -> chunks.append(torch.frombuffer(bytearray(chunk), dtype=torch.uint8))
print(torch.stack(chunks).float().mean())
