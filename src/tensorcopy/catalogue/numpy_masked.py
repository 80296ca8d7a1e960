"""Masked arrays: which calls keep the mask, which lose it, and which fill it in."""

from __future__ import annotations

from functools import partial

from ._templates import array_copy, array_to_tensor, array_view
from .model import Call, Device, Kind, Layout, Memory, ReturnsSelf, Subclass, Trait, Wrong

_masked_view = partial(array_view, source=Kind.MASKED, result=Kind.MASKED, layout=Layout.SAME)
_plain_view = partial(array_view, source=Kind.MASKED, layout=Layout.SAME, subclass=Subclass.DROPS)
_tensor_over = partial(array_to_tensor, source=Kind.MASKED)


def _shows_hidden(call: str) -> Wrong:
    """The value under the mask is data again."""
    return Wrong(
        code=f"x = np.ma.masked_array([1.0, 999.0], mask=[0, 1]); {call}.tolist()",
        gives="[1.0, 999.0]",
        wanted="[1.0, None]",
        why="the mask is not looked at",
    )


OPERATIONS = (
    array_view(
        name="numpy.ma.filled",
        summary="A plain array: the memory itself where nothing is masked, else a copy with the fill value.",
        call=Call(names=("numpy.ma.filled", "numpy.ma.MaskedArray.filled")),
        examples=("np.ma.filled(x)", "x.filled()", "np.ma.filled(x, 0.0)"),
        source=Kind.MASKED,
        memory=Memory.DEPENDS,
        copies_if=(Trait.MASKED_VALUES,),
        layout=Layout.PRESERVED,
        subclass=Subclass.DROPS,
        silently_wrong=(
            Wrong(
                code="np.ma.filled(np.ma.masked_array([1.0, 2.0], mask=[0, 1])).tolist()",
                gives="[1.0, 1e20]",
                wanted="[1.0, None]",
                why="without a fill value the array's own is used, which is 1e20 for floats",
            ),
        ),
    ),
    _plain_view(
        name="numpy.ma.getdata",
        summary="A plain array over the same memory, hidden values and all.",
        call=Call(names=("numpy.ma.getdata", "numpy.ma.MaskedArray.data")),
        examples=("np.ma.getdata(x)", "x.data"),
        silently_wrong=(_shows_hidden("np.ma.getdata(x)"),),
    ),
    _plain_view(
        name="numpy.asarray(masked array)",
        summary="A plain array over the same memory: the mask is lost.",
        call=Call(names=("numpy.asarray",)),
        examples=("np.asarray(x)",),
        silently_wrong=(_shows_hidden("np.asarray(x)"),),
    ),
    _masked_view(
        name="numpy.asanyarray(masked array)",
        summary="The masked array itself.",
        call=Call(names=("numpy.asanyarray",)),
        examples=("np.asanyarray(x)",),
        returns_self=ReturnsSelf.ALWAYS,
    ),
    _masked_view(
        name="numpy.ma.array",
        summary="A masked array over the same memory, with its mask.",
        call=Call(names=("numpy.ma.array", "numpy.ma.masked_array", "numpy.ma.MaskedArray")),
        examples=("np.ma.array(x)",),
    ),
    array_copy(
        name="numpy.ma.compressed",
        summary="A plain vector of the values that are not masked.",
        call=Call(names=("numpy.ma.compressed", "numpy.ma.MaskedArray.compressed")),
        examples=("np.ma.compressed(x)",),
        source=Kind.MASKED,
        memory=Memory.DEPENDS,
        copies_if=(Trait.MASKED_VALUES,),
        layout=Layout.CONTIGUOUS,
        subclass=Subclass.DROPS,
    ),
    _tensor_over(
        name="torch.from_numpy(masked array)",
        summary="A tensor over the memory: the mask is lost.",
        call=Call(names=("torch.from_numpy", "torch.as_tensor", "torch.asarray")),
        examples=("torch.from_numpy(x)", "torch.as_tensor(x)", "torch.asarray(x)"),
        silently_wrong=(_shows_hidden("torch.from_numpy(x)"), _shows_hidden("torch.as_tensor(x)")),
    ),
    _tensor_over(
        name="torch.tensor(masked array)",
        summary="A copy: the mask is lost.",
        call=Call(names=("torch.tensor",)),
        examples=("torch.tensor(x)",),
        memory=Memory.COPIES,
        device=Device.DEFAULT,
        layout=Layout.PRESERVED,
        silently_wrong=(_shows_hidden("torch.tensor(x)"),),
    ),
)
