"""Views over memory that moves elsewhere."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY107"
WRONG = cases(
    """
--- resize_
import torch
t = torch.zeros(3)
a = t.numpy() # here
t.resize_(100)
print(a)
--- np resize
import numpy as np
import torch
a = np.zeros(3)
t = torch.from_numpy(a) # here
a.resize(10, refcheck=False)
print(t)
--- asarray
import numpy as np
import torch
t = torch.zeros(3)
a = np.asarray(t) # here
t.share_memory_()
t += 1
print(a)
--- set_
import torch
t = torch.zeros(3)
a = t.numpy() # here
t.set_(torch.ones(3))
print(a)
"""
)
RIGHT = cases(
    """
--- taken afterwards
import torch
t = torch.zeros(3)
t.share_memory_()
a = t.numpy()
a += 1
print(t)
--- copied
import torch
t = torch.zeros(3)
a = t.numpy().copy()
t.share_memory_()
print(a)
--- not read again
import torch
t = torch.zeros(3)
a = t.numpy()
print(a)
t.resize_(10)
print(t.shape)
--- another tensor moves
import torch
t, s = torch.zeros(3), torch.ones(3)
a = t.numpy()
s.share_memory_()
print(a)
--- a new array
import numpy as np
import torch
a = np.zeros(3)
t = torch.from_numpy(a)
b = np.resize(a, 10)
print(t, b)
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_view_of_moved_memory_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_views_taken_afterwards_and_copies_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
