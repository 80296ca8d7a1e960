import torch

table = torch.zeros(4, 6).t()
table.reshape(-1)[0] = 5  # fault -> table[0, 0] = 5
print(table.sum().item())
