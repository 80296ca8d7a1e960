import torch

raw = bytearray(16)
memoryview(raw)[:] = bytes([0, 0, 128, 63] * 4)
x = torch.frombuffer(raw, dtype=torch.float32)  # -> x = torch.frombuffer(raw, dtype=torch.float32).clone()
w = torch.randn(4, requires_grad=True)
loss = (w * x).sum()  # related
raw[0:4] = bytes([0, 0, 0, 64])  # fault
loss.backward()
print(w.grad)
