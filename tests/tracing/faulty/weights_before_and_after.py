import torch

net = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
before = net.weight.detach().numpy()  # fault -> before = net.weight.detach().numpy().copy()
for step in range(3):
    loss = net(torch.ones(5, 3)).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # related
after = net.weight.detach().numpy()
print(abs(after - before).max())
