import torch
from torch import nn

table = nn.EmbeddingBag(50, 8, sparse=True, mode="mean")
head = nn.Linear(8, 2)
sparse, dense = torch.optim.SparseAdam(list(table.parameters())), torch.optim.Adam(head.parameters())
for _ in range(4):
    words = torch.randint(0, 50, (30,))
    offsets = torch.tensor([0, 10, 20])
    loss = nn.functional.cross_entropy(head(table(words, offsets)), torch.tensor([0, 1, 0]))
    sparse.zero_grad()
    dense.zero_grad()
    loss.backward()
    sparse.step()
    dense.step()
print(loss.item(), table.weight.grad.is_sparse)
