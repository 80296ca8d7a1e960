import torch

images = torch.randn(8, 64, 64, 3)
for _ in range(4):
    nchw = images.permute(0, 3, 1, 2).contiguous()  # -> nchw = images.permute(0, 3, 1, 2)
    back = nchw.permute(0, 2, 3, 1).contiguous()  # fault -> back = nchw.permute(0, 2, 3, 1)
    print(back.mean().item(), back.is_contiguous())
