import torch

buffer, rows = torch.zeros(8, 3), []
for step in range(8):
    buffer[step] = float(step)
    rows.append(buffer[step])
print(torch.stack(rows).sum().item())

state, seen = torch.zeros(3), 0.0
for step in range(5):
    state += 1
    seen += state.view(3).sum().item()
print(seen)
