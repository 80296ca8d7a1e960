import torch

cell = torch.nn.GRUCell(3, 5)
state, history = torch.zeros(1, 5), []
with torch.no_grad():
    for step in range(6):
        state.copy_(cell(torch.randn(1, 3), state))  # related
        history.append(state)  # fault -> history.append(state.clone())
print(torch.cat(history).std(0).sum().item())
