import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.message, self.update = nn.Linear(2 * width, width), nn.GRUCell(width, width)

    def forward(self, nodes, edges):
        source, target = edges
        messages = torch.relu(self.message(torch.cat([nodes[source], nodes[target]], dim=1)))
        gathered = torch.zeros_like(nodes).index_add_(0, target, messages)
        return self.update(gathered, nodes)


layers, head = nn.ModuleList([Layer(6), Layer(6)]), nn.Linear(6, 2)
optimizer = torch.optim.Adam([*layers.parameters(), *head.parameters()])
for _ in range(3):
    nodes, edges = torch.randn(10, 6), torch.randint(0, 10, (2, 30))
    for layer in layers:
        nodes = layer(nodes, edges)
    loss = nn.functional.cross_entropy(head(nodes.mean(0, keepdim=True)), torch.tensor([1]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
