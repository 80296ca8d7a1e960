"""Parts kept as views whose place is overwritten before they are read."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY110"
WRONG = cases(
    """
--- rows of a clone of something unknown
def swapped(waveforms):
    mixed = waveforms.clone()
    first = mixed[0] # here
    mixed[0] = mixed[1]
    mixed[1] = first
    return mixed
--- rows swapped
import torch
x = torch.arange(4.)
tmp = x[0] # here
x[0] = x[1]
x[1] = tmp
--- tuple swap torch
import torch
x = torch.arange(4.).view(2, 2)
x[0], x[1] = x[1], x[0] # here
--- names
import torch
x = torch.arange(4.).view(2, 2)
a, b = x[0], x[1] # here
x[0], x[1] = b, a
--- channel swap
import numpy as np
def swap(img: np.ndarray):
    img[..., 0], img[..., 2] = img[..., 2], img[..., 0] # here
    return img
--- channels torch
import torch
def swap(img: torch.Tensor):
    r = img[:, 0] # here
    img[:, 0] = img[:, 2]
    img[:, 2] = r
    return img
--- xywh
import torch
def xywh2xyxy(x: torch.Tensor):
    cx = x[:, 0]
    w = x[:, 2] # here
    x[:, 2] = cx + w / 2
    x[:, 0] = cx - w / 2
    return x
--- boxes flipped
import numpy as np
def hflip(boxes: np.ndarray, width):
    x1 = boxes[:, 0] # here
    boxes[:, 0] = width - boxes[:, 2]
    boxes[:, 2] = width - x1
    return boxes
--- sin cos rotation
import torch
def rotate(p: torch.Tensor, c, s):
    x, y = p[:, 0], p[:, 1] # here
    p[:, 0] = c * x - s * y
    p[:, 1] = s * x + c * y
    return p
--- numpy swap in loop
import numpy as np
def sort_rows(a: np.ndarray):
    for i in range(len(a) - 1):
        for j in range(len(a) - 1):
            if a[j, 0] > a[j + 1, 0]:
                row = a[j, :] # here
                a[j, :] = a[j + 1, :]
                a[j + 1, :] = row
    return a
--- tuple swap index arrays are copies fine? np row
import numpy as np
def shuffle(a: np.ndarray, i, j):
    a[i, :], a[j, :] = a[j, :], a[i, :] # here
    return a
--- torch elements tuple
import torch
x = torch.arange(4.)
x[0], x[1] = x[1], x[0] # here
--- unknown tuple swap slices
def swap(img):
    img[:, 0], img[:, 2] = img[:, 2], img[:, 0] # here
    return img
--- copy_ write
import torch
x = torch.arange(4.).view(2, 2)
tmp = x[0] # here
x[0].copy_(x[1])
x[1].copy_(tmp)
--- fill_ write
import torch
x = torch.arange(4.).view(2, 2)
old = x[0] # here
x[0].zero_()
print(old)
--- aug write
import numpy as np
x = np.zeros((2, 2))
old = x[0, :] # here
x[0, :] += 1
print(x[0, :] - old)
--- attr
import torch
class A:
    def __init__(self):
        self.h = torch.zeros(2, 3)
    def f(self, v):
        old = self.h[0] # here
        self.h[0] = v
        return old
"""
)
RIGHT = cases(
    """
--- clone kept
import torch
x = torch.arange(4.)
tmp = x[0].clone()
x[0] = x[1]
x[1] = tmp
--- copy kept
import numpy as np
def swap(img: np.ndarray):
    first = img[..., 0].copy()
    img[..., 0] = img[..., 2]
    img[..., 2] = first
    return img
--- advanced index copies
import torch
x = torch.arange(4.).view(2, 2)
x[[0, 1]] = x[[1, 0]]
--- python list
rows = [[1, 2], [3, 4]]
tmp = rows[0]
rows[0] = rows[1]
rows[1] = tmp
--- python list at once
import torch
xs = [torch.zeros(2), torch.ones(2)]
xs[0], xs[1] = xs[1], xs[0]
--- numbers
import torch
x = torch.arange(4.)
a = x[0].item()
x[0] = x[1]
x[1] = a
--- another place
import torch
x = torch.arange(4.)
head = x[0]
x[1] = 5
print(head)
--- new value first
import torch
def xywh2xyxy(x: torch.Tensor):
    y = torch.empty_like(x)
    y[:, 0] = x[:, 0] - x[:, 2] / 2
    y[:, 2] = x[:, 0] + x[:, 2] / 2
    return y
--- computed from it before
import torch
def norm(x: torch.Tensor):
    row = x[0]
    scaled = row / 2
    x[0] = scaled
    return scaled
--- index moves on
import torch
x = torch.arange(4.)
i = 0
a = x[i]
i += 1
x[i] = 3
print(a)
--- written through the view on purpose
import torch
x = torch.zeros(2, 3)
row = x[0]
row += 1
print(x)
--- loop with a moving index
import torch
x = torch.zeros(4)
for i in range(1, 4):
    last = x[i - 1]
    x[i] = last + 1
--- places of long names that differ at the end
import torch
activations_of_the_last_layer_of_the_encoder = torch.arange(8.).view(2, 2, 2)
first = activations_of_the_last_layer_of_the_encoder[0, 0]
activations_of_the_last_layer_of_the_encoder[0, 1] = activations_of_the_last_layer_of_the_encoder[1, 1]
activations_of_the_last_layer_of_the_encoder[1, 1] = first
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_view_read_after_its_place_was_overwritten_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_and_other_places_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
