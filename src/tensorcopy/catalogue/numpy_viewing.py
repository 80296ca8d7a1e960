"""NumPy calls that look at the source's memory under another shape, order, type or class."""

from __future__ import annotations

from functools import partial

from ._refusals import ARRAY_INDEX_OF_ZERO_D, AXIS_OF_ZERO_D
from ._templates import array_both, array_method, array_view, numpy, where
from .model import (
    Call,
    Dtype,
    Kind,
    Layout,
    Memory,
    Rejection,
    ReturnsSelf,
    Style,
    Subclass,
    Trait,
    Value,
    Wrong,
)

_same = partial(array_view, layout=Layout.SAME)
_BASIC = Call(names=("numpy.ndarray.__getitem__",), style=Style.INDEX, when=where(index=Value.BASIC_INDEX))
_TWO = Rejection(given=Trait.LESS_THAN_2D, error="ValueError", text="diag requires an array of at least two dimensions")

OPERATIONS = (
    _same(
        name="numpy.ndarray.view()",
        summary="Another array over the same memory.",
        call=array_method("view"),
        examples=("x.view()",),
    ),
    _same(
        name="numpy.ndarray.view(type)",
        summary="The same memory under another class.",
        call=array_method("view"),
        examples=("x.view(np.ndarray)",),
        subclass=Subclass.DROPS,
    ),
    array_view(
        name="numpy.ndarray.view(dtype)",
        summary="The same bytes read as another dtype.",
        call=Call(names=("numpy.ndarray.view",), when=where(dtype=Value.DTYPE)),
        examples=("x.view(np.uint8)",),
        dtype=Dtype.GIVEN,
        rejects=(
            Rejection(given=Trait.NOT_LAST_CONTIGUOUS, error="ValueError", text="the last axis must be contiguous"),
            Rejection(
                given=Trait.ZERO_D,
                error="ValueError",
                text="Changing the dtype of a 0d array is only supported if the itemsize",
            ),
            Rejection(given=Trait.OBJECT, error="TypeError", text="Cannot change data-type for"),
        ),
    ),
    array_view(
        name="numpy.ndarray.reshape",
        summary="A view where one exists, else a row-major copy; which of them is not told.",
        call=array_both("reshape"),
        examples=("x.reshape(-1)", "np.reshape(x, -1)"),
        memory=Memory.DEPENDS,
        copies_if=(Trait.NOT_FLAT,),
        silently_wrong=(
            Wrong(
                code="a = np.zeros((2, 3)).T; a.reshape(-1)[0] = 1.0; a[0, 0].item()",
                gives="0.0",
                wanted="1.0",
                why="the write goes into a copy that nobody keeps",
            ),
        ),
    ),
    array_view(
        name="numpy.ndarray.reshape(copy=False)",
        summary="A view, or an error.",
        call=Call(names=("numpy.ndarray.reshape", "numpy.reshape"), when=where(copy=Value.FALSE)),
        examples=("x.reshape(-1, copy=False)",),
        rejects=(
            Rejection(given=Trait.NOT_FLAT, error="ValueError", text="Unable to avoid creating a copy while reshaping"),
        ),
        since="numpy 2.1",
    ),
    array_view(
        name="numpy.ndarray.reshape(copy=True)",
        summary="A row-major copy in another shape.",
        call=Call(names=("numpy.ndarray.reshape", "numpy.reshape"), when=where(copy=Value.TRUE)),
        examples=("x.reshape(-1, copy=True)",),
        memory=Memory.COPIES,
        layout=Layout.CONTIGUOUS,
        since="numpy 2.1",
    ),
    array_view(
        name="numpy.ravel",
        summary="One row-major dimension: a view of a contiguous source, else a copy.",
        call=array_both("ravel"),
        examples=("x.ravel()", "np.ravel(x)"),
        memory=Memory.DEPENDS,
        copies_if=(Trait.NON_CONTIGUOUS,),
        layout=Layout.CONTIGUOUS,
    ),
    array_view(
        name="numpy.squeeze",
        summary="A view without the dimensions of length one.",
        call=array_both("squeeze"),
        examples=("x.squeeze()", "np.squeeze(x)"),
        layout=Layout.SAME,
        returns_self=ReturnsSelf.SOMETIMES,
    ),
    array_view(
        name="numpy.transpose",
        summary="A view with the dimensions reversed or reordered.",
        call=Call(names=("numpy.ndarray.transpose", "numpy.transpose", "numpy.permute_dims", "numpy.ndarray.T")),
        examples=("x.transpose()", "np.transpose(x)", "x.T"),
    ),
    array_view(
        name="numpy.swapaxes",
        summary="A view with two dimensions exchanged.",
        call=array_both("swapaxes"),
        examples=("x.swapaxes(0, -1)",),
        rejects=(AXIS_OF_ZERO_D,),
    ),
    array_view(
        name="numpy.moveaxis",
        summary="A view with one dimension moved.",
        call=Call(names=("numpy.moveaxis", "numpy.rollaxis")),
        examples=("np.moveaxis(x, 0, -1)",),
        rejects=(AXIS_OF_ZERO_D,),
    ),
    array_view(
        name="numpy.expand_dims",
        summary="A view with one more dimension of length one.",
        call=numpy("expand_dims"),
        examples=("np.expand_dims(x, 0)",),
    ),
    array_view(
        name="numpy.ndarray[int]",
        summary="A view of one row; of a vector, a number of its own.",
        call=_BASIC,
        examples=("x[0]",),
        unless=(Trait.ONE_D,),
        rejects=(
            ARRAY_INDEX_OF_ZERO_D,
            Rejection(given=Trait.EMPTY, error="IndexError", text="index 0 is out of bounds for axis 0 with size 0"),
        ),
    ),
    array_view(
        name="numpy.ndarray[slice]",
        summary="A view of a range; it keeps the whole memory alive.",
        call=_BASIC,
        examples=("x[0:1]", "x[::2]", "x[::-1]"),
        rejects=(ARRAY_INDEX_OF_ZERO_D,),
    ),
    _same(
        name="numpy.ndarray[...]",
        summary="Another array over the same memory.",
        call=_BASIC,
        examples=("x[...]",),
    ),
    array_view(
        name="numpy.ndarray[None]",
        summary="A view with one more dimension of length one.",
        call=_BASIC,
        examples=("x[None]", "x[np.newaxis]"),
    ),
    array_view(
        name="numpy.broadcast_to",
        summary="A read-only view that repeats without memory.",
        call=numpy("broadcast_to"),
        examples=("np.broadcast_to(x, (2, *x.shape))",),
        subclass=Subclass.DROPS,
        rejects=(
            Rejection(
                code="np.broadcast_to(np.ones(3), (2, 3))[0] = 1.0",
                error="ValueError",
                text="assignment destination is read-only",
            ),
        ),
    ),
    array_view(
        name="numpy.broadcast_arrays",
        summary="Each array repeated to the common shape, without memory.",
        call=numpy("broadcast_arrays"),
        result=Kind.ARRAYS,
        examples=("np.broadcast_arrays(x, np.empty((2, *x.shape)))",),
        probe="y[0]",
        subclass=Subclass.DROPS,
    ),
    array_view(
        name="numpy.flip",
        summary="A view in reverse order, with negative strides; Tensor.flip copies.",
        call=Call(names=("numpy.flip", "numpy.fliplr", "numpy.flipud")),
        examples=("np.flip(x)",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.ZERO_D,),
    ),
    array_view(
        name="numpy.rot90",
        summary="A view, turned by a quarter; torch.rot90 copies.",
        call=numpy("rot90"),
        examples=("np.rot90(x)",),
        rejects=(Rejection(given=Trait.LESS_THAN_2D, error="ValueError", text="Axes"),),
    ),
    array_view(
        name="numpy.diagonal",
        summary="A read-only view of the diagonal.",
        call=array_both("diagonal"),
        examples=("x.diagonal()", "np.diagonal(x)"),
        rejects=(_TWO,),
    ),
    array_view(
        name="numpy.diag",
        summary="A read-only view of the diagonal of a matrix; of a vector, a new matrix. torch.diag copies.",
        call=numpy("diag"),
        examples=("np.diag(x)",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.ONE_D,),
        rejects=(Rejection(given=Trait.ZERO_D, error="ValueError", text="Input must be 1- or 2-d"),),
    ),
    _same(
        name="numpy.ndarray.real",
        summary="A view of the real parts; a real array in full.",
        call=Call(names=("numpy.ndarray.real", "numpy.real"), style=Style.ATTRIBUTE),
        examples=("x.real", "np.real(x)"),
        dtype=Dtype.REAL,
        layout=Layout.DERIVED,
        returns_self=ReturnsSelf.SOMETIMES,
    ),
    array_view(
        name="numpy.ndarray.imag",
        summary="A view of the imaginary parts; of a real array, new zeros that are read-only.",
        call=Call(names=("numpy.ndarray.imag", "numpy.imag"), style=Style.ATTRIBUTE),
        examples=("x.imag",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.NOT_COMPLEX,),
        dtype=Dtype.REAL,
    ),
    array_view(
        name="numpy.split",
        summary="A list of views, one for each part.",
        call=Call(names=("numpy.array_split", "numpy.split", "numpy.hsplit", "numpy.vsplit", "numpy.dsplit")),
        examples=("np.array_split(x, 2)", "np.split(x, 1)"),
        result=Kind.ARRAYS,
        rejects=(Rejection(given=Trait.ZERO_D, error="IndexError", text="tuple index out of range"),),
    ),
    array_view(
        name="numpy.unstack",
        summary="A tuple of views, one for each index along the first dimension.",
        call=numpy("unstack"),
        examples=("np.unstack(x)",),
        result=Kind.ARRAYS,
        unless=(Trait.ONE_D,),
        rejects=(Rejection(given=Trait.ZERO_D, error="ValueError", text="Input array must be at least 1-d"),),
        since="numpy 2.1",
    ),
    array_view(
        name="numpy.atleast_2d",
        summary="The array itself, or a view with leading dimensions.",
        call=Call(names=("numpy.atleast_1d", "numpy.atleast_2d", "numpy.atleast_3d")),
        examples=("np.atleast_2d(x)",),
        returns_self=ReturnsSelf.SOMETIMES,
    ),
    _same(
        name="numpy.lib.stride_tricks.as_strided",
        summary="The same memory under any shape and strides; nothing checks that it stays inside.",
        call=numpy("lib.stride_tricks.as_strided"),
        examples=("np.lib.stride_tricks.as_strided(x)",),
        subclass=Subclass.DROPS,
    ),
    array_view(
        name="numpy.lib.stride_tricks.sliding_window_view",
        summary="A read-only view of all windows, whose elements overlap.",
        call=numpy("lib.stride_tricks.sliding_window_view"),
        examples=("np.lib.stride_tricks.sliding_window_view(x, 1, axis=0)",),
        subclass=Subclass.DROPS,
        rejects=(
            Rejection(
                given=Trait.EMPTY, error="ValueError", text="window shape cannot be larger than input array shape"
            ),
            AXIS_OF_ZERO_D,
        ),
    ),
    _same(
        name="numpy.asmatrix",
        summary="The same memory as a matrix.",
        call=numpy("asmatrix"),
        examples=("np.asmatrix(x)",),
        layout=Layout.DERIVED,
        subclass=Subclass.NOT_APPLICABLE,
    ),
    _same(
        name="numpy.ndarray.view(native)",
        summary="The same bytes read in the machine's byte order: other values for a source in the other one.",
        call=Call(names=("numpy.ndarray.view",), when=where(dtype=Value.DTYPE)),
        examples=("x.view(x.dtype.newbyteorder('='))",),
        dtype=Dtype.NATIVE,
        silently_wrong=(
            Wrong(
                code="np.array([1.0]).astype('>f8').view('<f8').item() == 1.0",
                gives="False",
                wanted="True",
                why="the bytes are read in another order than they were written in",
            ),
        ),
    ),
)
