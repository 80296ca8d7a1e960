import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for _ in range(4):
    x, y = torch.randn(6, 8), torch.randint(0, 4, (6,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(x)
        loss = nn.functional.cross_entropy(out.float(), y)
    optimizer.zero_grad(set_to_none=True)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
print(loss.item(), scaler.get_scale())
