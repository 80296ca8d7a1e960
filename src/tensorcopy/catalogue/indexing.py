"""Reading a tensor by index: basic indices give views, lists, masks and index tensors give copies."""

from __future__ import annotations

from functools import partial

from ._templates import both, kept_copy, view, where
from .model import Call, Layout, Rejection, Style, Trait, Value, Wrong

_GETITEM = ("torch.Tensor.__getitem__",)
_BASIC = Call(names=_GETITEM, style=Style.INDEX, when=where(index=Value.BASIC_INDEX))
_ADVANCED = Call(names=_GETITEM, style=Style.INDEX, when=where(index=Value.ADVANCED_INDEX))
_MASK = Call(names=_GETITEM, style=Style.INDEX, when=where(index=Value.MASK))
_basic = partial(view, call=_BASIC)
_picked = partial(kept_copy, call=_ADVANCED, layout=Layout.DENSE)
_TOO_MANY = Rejection(given=Trait.ZERO_D, error="IndexError", text="too many indices for tensor of dimension 0")
_NO_ROW = Rejection(given=Trait.EMPTY, error="IndexError", text="index 0 is out of bounds for dimension 0 with size 0")
_STEP = Rejection(code="torch.arange(3)[::-1]", error="ValueError", text="step must be greater than zero")

OPERATIONS = (
    _basic(
        name="torch.Tensor[int]",
        summary="A view of one row; writing it writes the tensor.",
        examples=("x[0]",),
        rejects=(Rejection(given=Trait.ZERO_D, error="IndexError", text="invalid index of a 0-dim tensor"), _NO_ROW),
        aten="select.int",
    ),
    _basic(
        name="torch.Tensor[slice]",
        summary="A view of a range; it keeps the whole storage alive.",
        examples=("x[0:1]", "x[::2]", "x[..., :1]"),
        rejects=(
            _TOO_MANY,
            Rejection(given=Trait.ZERO_D, error="IndexError", text="slice() cannot be applied to a 0-dim tensor"),
            _STEP,
        ),
        aten="slice.Tensor",
    ),
    _basic(
        name="torch.Tensor[...]",
        summary="Another tensor over the same memory, on the graph.",
        examples=("x[...]", "x[()]"),
        layout=Layout.SAME,
        aten="alias",
    ),
    _basic(
        name="torch.Tensor[None]",
        summary="A view with one more dimension of length one.",
        examples=("x[None]",),
        aten="unsqueeze",
    ),
    view(
        name="torch.Tensor[0-d index tensor]",
        summary="A view, as with an integer; an index tensor with dimensions copies.",
        call=_ADVANCED,
        examples=("x[torch.tensor(0)]",),
        rejects=(_TOO_MANY, _NO_ROW),
    ),
    _picked(
        name="torch.Tensor[list]",
        summary="A copy of the rows named, on the graph.",
        examples=("x[[0]]", "x[torch.tensor([0])]"),
        rejects=(
            _TOO_MANY,
            Rejection(given=Trait.EMPTY, error="IndexError", text="index is out of bounds for dimension with size 0"),
        ),
        silently_wrong=(
            Wrong(
                code="a = torch.zeros(4); a[[1, 2]][0] = 5.0; a[1].item()",
                gives="0.0",
                wanted="5.0",
                why="the second index writes into a copy that nobody keeps",
            ),
        ),
        aten="index.Tensor",
    ),
    kept_copy(
        name="torch.Tensor[mask]",
        summary="A copy of the elements where the mask is true, in one dimension, on the graph.",
        call=_MASK,
        examples=("x[x == x]", "x[torch.ones(x.shape, dtype=torch.bool)]"),
        layout=Layout.CONTIGUOUS,
        aten="index.Tensor",
    ),
    kept_copy(
        name="torch.Tensor[True]",
        summary="A copy with one more dimension; looks like None and is not.",
        call=_MASK,
        examples=("x[True]",),
        layout=Layout.DERIVED,
    ),
    kept_copy(
        name="torch.masked_select",
        summary="A copy of the elements where the mask is true, in one dimension, on the graph.",
        call=both("masked_select"),
        examples=("torch.masked_select(x, torch.ones(x.shape, dtype=torch.bool))",),
        layout=Layout.CONTIGUOUS,
        aten="masked_select",
    ),
    kept_copy(
        name="torch.index_select",
        summary="A copy of the rows named by an index tensor, on the graph.",
        call=both("index_select"),
        examples=("torch.index_select(x, 0, torch.tensor([0]))",),
        layout=Layout.CONTIGUOUS,
        rejects=(Rejection(given=Trait.EMPTY, error="RuntimeError", text="self indexing axis dim should be positive"),),
        aten="index_select",
    ),
    kept_copy(
        name="torch.take",
        summary="A copy of the elements at flat positions, on the graph.",
        call=both("take"),
        examples=("torch.take(x, torch.tensor([0]))",),
        layout=Layout.CONTIGUOUS,
        rejects=(Rejection(given=Trait.EMPTY, error="IndexError", text="take(): tried to take from an empty tensor"),),
        aten="take",
    ),
    kept_copy(
        name="torch.gather",
        summary="A copy of the elements named position by position, on the graph.",
        call=both("gather"),
        examples=("x.gather(0, torch.zeros(x.shape, dtype=torch.long))",),
        layout=Layout.CONTIGUOUS,
        aten="gather",
    ),
    kept_copy(
        name="torch.where",
        summary="A new tensor that takes each element from one of two, on the graph of both.",
        call=Call(names=("torch.where", "torch.Tensor.where"), source=1),
        examples=("torch.where(torch.ones(x.shape, dtype=torch.bool), x, x)",),
        layout=Layout.CONTIGUOUS,
        aten="where.self",
    ),
)
