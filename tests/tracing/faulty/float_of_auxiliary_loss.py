import torch
from torch import nn

trunk, main, aux = nn.Linear(4, 6), nn.Linear(6, 1), nn.Linear(6, 3)
opt = torch.optim.Adam([*trunk.parameters(), *main.parameters(), *aux.parameters()])
for _ in range(3):
    h = trunk(torch.randn(5, 4))
    main_loss = main(h).pow(2).mean()
    aux_loss = nn.functional.cross_entropy(aux(h), torch.randint(0, 3, (5,)))
    loss = main_loss + 0.1 * float(aux_loss)  # fault -> loss = main_loss + 0.1 * aux_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
