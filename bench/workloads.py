"""Three small trainings on the CPU, each of another shape: many operations, images through a loader, tiny tensors."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

Step = Callable[[], float]


class Attention(nn.Module):
    """Causal attention, written out."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        query, key, value = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.inputs(x).split(width, dim=2)
        )
        weights = query @ key.transpose(-2, -1) / (width // self.heads) ** 0.5
        hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
        weights = weights.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return self.output((weights @ value).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """Attention and a network of two layers, each added to its input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.before, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.network = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.before(x))
        return x + self.network(x)


class Transformer(nn.Module):
    """A language model of four blocks; gives the loss."""

    def __init__(self, tokens: int = 256, width: int = 96, heads: int = 4, length: int = 64) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(tokens, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(4)))
        self.output = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, tokens, bias=False))

    def forward(self, text: torch.Tensor, following: torch.Tensor) -> torch.Tensor:
        x = self.tokens(text) + self.places(torch.arange(text.shape[1]))
        return functional.cross_entropy(self.output(self.blocks(x)).flatten(0, 1), following.flatten())


def gpt() -> Step:
    """A step: four texts of 64 tokens out of an array, loss, gradients clipped, AdamW."""
    torch.manual_seed(0)
    model, length = Transformer(), 64
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    corpus = np.random.default_rng(0).integers(0, 256, 50_000).astype(np.uint16)

    def texts(starts: list[int]) -> torch.Tensor:
        return torch.stack([torch.from_numpy(corpus[at : at + length].astype(np.int64)) for at in starts])

    def step() -> float:
        starts = torch.randint(len(corpus) - length - 1, (4,)).tolist()
        loss = model(texts(starts), texts([at + 1 for at in starts]))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return step


class Images(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Images of bytes in an array, scaled, mirrored and shifted by NumPy as they are taken."""

    def __init__(self, count: int = 32) -> None:
        rng = np.random.default_rng(0)
        self.pixels = rng.integers(0, 256, (count, 32, 32, 3), dtype=np.uint8)
        self.labels = rng.integers(0, 10, count)

    def __len__(self) -> int:
        return len(self.pixels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        image = self.pixels[index].astype(np.float32) / 255.0
        if index % 2:
            image = image[:, ::-1].copy()
        image = (image - np.float32(0.5)) / np.float32(0.25)
        return torch.from_numpy(image).permute(2, 0, 1).contiguous(), torch.tensor(self.labels[index])


def conv() -> Step:
    """An epoch of two batches of 16 images through a loader, two convolutions, SGD."""
    torch.manual_seed(0)
    model = nn.Sequential(
        *(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1)),
        *(nn.Flatten(), nn.Linear(32, 10)),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = DataLoader(Images(), batch_size=16, shuffle=True)

    def step() -> float:
        total = 0.0
        for pixels, labels in loader:
            loss = functional.cross_entropy(model(pixels.float()), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        return total

    return step


def _network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))


def rl() -> Step:
    """Sixteen moves in a small world, kept as tensors of a few numbers, and an update on 32 of them."""
    torch.manual_seed(0)
    rng, dice = np.random.default_rng(0), random.Random(0)
    network, target = _network(), _network()
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    memory: deque[tuple[torch.Tensor, ...]] = deque(maxlen=2000)
    state = np.zeros(4, np.float32)

    def move() -> None:
        nonlocal state
        with torch.no_grad():
            values = network(torch.as_tensor(state).unsqueeze(0))
        action = int(values.argmax(1).item()) if dice.random() > 0.1 else dice.randrange(2)
        following = (state * 0.9 + rng.normal(size=4) * 0.1 + (action - 0.5) * 0.1).astype(np.float32)
        reward = torch.tensor([float(following[0])])
        over = torch.tensor([float(dice.random() < 0.02)])
        memory.append((torch.tensor(state), torch.tensor([action]), reward, torch.tensor(following), over))
        state = following

    def step() -> float:
        for _ in range(16):
            move()
        chosen = dice.sample(list(memory), min(32, len(memory)))
        states, actions, rewards, followings, over = (torch.stack(parts) for parts in zip(*chosen, strict=True))
        values = network(states).gather(1, actions)
        with torch.no_grad():
            wanted = rewards + 0.99 * (1 - over) * target(followings).max(1, keepdim=True)[0]
        loss = functional.smooth_l1_loss(values, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), network.parameters(), strict=True):
                slow.mul_(0.99).add_(fast, alpha=0.01)
        return loss.item()

    return step


WORKLOADS: dict[str, tuple[Callable[[], Step], int]] = {"gpt": (gpt, 20), "conv": (conv, 20), "rl": (rl, 120)}
"""By name: what makes one, and how many of its steps are measured together."""
