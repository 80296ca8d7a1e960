import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.ReLU(inplace=True)  # -> self.act = nn.ReLU()
    def forward(self, x):
        gate = torch.sigmoid(self.fc(x))  # related
        out = self.act(gate)  # fault
        return gate * x + out

Block()(torch.randn(2, 4)).sum().backward()
