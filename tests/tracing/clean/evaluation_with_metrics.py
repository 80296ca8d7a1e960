import numpy as np
import torch
from torch import nn

net = nn.Linear(5, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
confusion = torch.zeros(3, 3, dtype=torch.int64)
weights = torch.from_numpy(np.array([1.0, 2.0, 0.5], dtype=np.float32))
history = {"loss": [], "probabilities": [], "weights": []}
for epoch in range(3):
    x, y = torch.randn(20, 5), torch.randint(0, 3, (20,))
    logits = net(x)
    loss = nn.functional.cross_entropy(logits, y, weight=weights)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history["loss"].append(loss.item())
    history["probabilities"].append(logits.softmax(1).detach().numpy())
    history["weights"].append(net.weight.detach().clone().numpy())
    confusion.index_put_((y, logits.argmax(1)), torch.ones(20, dtype=torch.int64), accumulate=True)
accuracy = confusion.diag().sum() / confusion.sum()
print(accuracy.item(), np.stack(history["probabilities"]).shape, np.diff(np.stack(history["weights"]), axis=0).std())
