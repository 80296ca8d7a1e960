"""Which operation is under the cursor."""

from __future__ import annotations

import pytest

from tensorcopy.lsp.hovering import hovered

IMPORTS = "import torch, copy\nimport numpy as np\nfrom torch import as_tensor as at\nfrom copy import deepcopy\n"


@pytest.mark.parametrize(
    ("line", "word", "name"),
    [
        ("y = x.clone().detach()", "clone", "x.clone"),
        ("y = x.clone().detach()", "detach", "x.detach"),
        ("y = torch.as_tensor(x)", "as_tensor", "torch.as_tensor"),
        ("y = np.asarray(x)", "asarray", "numpy.asarray"),
        ("y = at(x)", "at(", "torch.as_tensor"),
        ("y = deepcopy(x)", "deepcopy", "copy.deepcopy"),
        ("é = '模型', self.net.weight.data", "data", "x.data"),
        ("y = (x\n  .numpy())", "numpy", "x.numpy"),
    ],
)
def test_the_operation_under_the_cursor_is_found(line: str, word: str, name: str) -> None:
    text = IMPORTS + line
    last = text.split("\n")[-1]
    column = last.index(word) + 1
    for inside in (column, column + len(word.rstrip("("))):
        found = hovered(text, text.count("\n") + 1, inside)
        assert (found.name, found.column, found.end_column) == (name, column, column + len(word.rstrip("(")))
        assert found.page.startswith("# ")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("y = x.frobnicate()", "frobnicate"),
        ("y = torch.frobnicate()", "frobnicate"),
        ("y = x.clone()", "y"),
        ("y = x.clone()", "x"),
        ("y = 'x.clone()'", "clone"),
        ("y = x.clone(", "clone"),
        ("clone = 1", "clone"),
    ],
)
def test_anything_else_is_none(line: str, word: str) -> None:
    assert hovered(IMPORTS + line, 5, line.index(word) + 1) is None
