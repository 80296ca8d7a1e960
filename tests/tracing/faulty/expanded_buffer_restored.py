import torch
from torch import nn


class Crop(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("grid", torch.arange(3.0).expand(2, -1))  # fault -> self.register_buffer("grid", torch.arange(3.0).repeat(2, 1))


try:
    Crop().load_state_dict(Crop().state_dict())  # related
except RuntimeError as error:
    print(str(error)[:40])
