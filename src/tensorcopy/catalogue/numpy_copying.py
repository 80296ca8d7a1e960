"""NumPy calls that give an array of its own."""

from __future__ import annotations

from functools import partial

from ._refusals import ARRAY_INDEX_OF_ZERO_D
from ._templates import array_both, array_copy, array_method, numpy, where
from .model import Call, Crash, Dtype, Kind, Layout, Rejection, Style, Subclass, Trait, Value, Wrong

_plain = partial(array_copy, subclass=Subclass.DROPS)
_row_major = partial(array_copy, layout=Layout.CONTIGUOUS)
_join = partial(array_copy, layout=Layout.DENSE, dtype=Dtype.NATIVE, subclass=Subclass.DROPS)
_MASK_LOST = "the mask is not looked at"


def _joining(*names: str) -> Call:
    return Call(names=tuple(f"numpy.{n}" for n in names), in_sequence=True)


OPERATIONS = (
    _row_major(
        name="numpy.ndarray.copy",
        summary="A row-major copy, whatever the source's order.",
        call=array_method("copy"),
        examples=("x.copy()",),
    ),
    array_copy(
        name="numpy.ndarray.copy(order='K')",
        summary="A copy in the source's order.",
        call=Call(names=("numpy.ndarray.copy",), when=where(order=Value.GIVEN)),
        examples=("x.copy(order='K')",),
    ),
    array_copy(
        name="numpy.ndarray.copy(order='F')",
        summary="A column-major copy.",
        call=Call(names=("numpy.ndarray.copy",), when=where(order=Value.GIVEN)),
        examples=("x.copy(order='F')",),
        layout=Layout.FORTRAN,
    ),
    _plain(
        name="numpy.copy",
        summary="A plain ndarray in the source's order; a subclass and a mask are lost.",
        call=numpy("copy"),
        examples=("np.copy(x)",),
        silently_wrong=(
            Wrong(
                code="np.copy(np.ma.masked_array([1.0, 999.0], mask=[0, 1])).tolist()",
                gives="[1.0, 999.0]",
                wanted="[1.0, None]",
                why="np.copy makes a plain ndarray of the hidden values; the method copy keeps the mask",
            ),
        ),
    ),
    array_copy(
        name="numpy.copy(subok=True)",
        summary="A copy in the source's order and class.",
        call=Call(names=("numpy.copy",), when=where(subok=Value.TRUE)),
        examples=("np.copy(x, subok=True)",),
    ),
    _plain(
        name="numpy.array(ndarray)",
        summary="A plain ndarray in the source's order, always a copy.",
        call=numpy("array"),
        examples=("np.array(x)",),
        silently_wrong=(
            Wrong(
                code="np.array(np.ma.masked_array([1.0, 999.0], mask=[0, 1])).tolist()",
                gives="[1.0, 999.0]",
                wanted="[1.0, None]",
                why=_MASK_LOST,
            ),
        ),
    ),
    array_copy(
        name="numpy.array(ndarray, subok=True)",
        summary="A copy in the source's order and class.",
        call=Call(names=("numpy.array",), when=where(subok=Value.TRUE)),
        examples=("np.array(x, subok=True)",),
    ),
    _plain(
        name="numpy.array(ndarray, order='F')",
        summary="A column-major copy.",
        call=Call(names=("numpy.array",), when=where(order=Value.GIVEN)),
        examples=("np.array(x, order='F')",),
        layout=Layout.FORTRAN,
    ),
    _plain(
        name="numpy.array(ndarray, ndmin)",
        summary="A copy with leading dimensions.",
        call=Call(names=("numpy.array",), when=where(ndmin=Value.GIVEN)),
        examples=("np.array(x, ndmin=3)",),
    ),
    _plain(
        name="numpy.array(ndarray, dtype=object)",
        summary="An array of Python objects, one for each element.",
        call=Call(names=("numpy.array",), when=where(dtype=Value.GIVEN)),
        examples=("np.array(x, dtype=object)",),
        dtype=Dtype.FIXED,
        dtype_name="object",
    ),
    _plain(
        name="numpy.meshgrid",
        summary="A list of full copies, where torch.meshgrid gives views.",
        call=numpy("meshgrid"),
        examples=("np.meshgrid(x, np.ones(2))",),
        setup="x = x.reshape(-1)",
        probe="y[0]",
        result=Kind.ARRAYS,
        layout=Layout.CONTIGUOUS,
        subclass=Subclass.KEEPS,
    ),
    _plain(
        name="numpy.matrix",
        summary="A row-major copy as a matrix; asmatrix shares.",
        call=numpy("matrix"),
        examples=("np.matrix(x)",),
        layout=Layout.CONTIGUOUS,
        subclass=Subclass.NOT_APPLICABLE,
    ),
    _plain(
        name="numpy.asarray(ndarray, copy=True)",
        summary="A plain ndarray in the source's order, always a copy.",
        call=Call(names=("numpy.asarray",), when=where(copy=Value.TRUE)),
        examples=("np.asarray(x, copy=True)",),
        since="numpy 2.0",
    ),
    array_copy(
        name="numpy.ndarray.astype",
        summary="A converted copy; a copy also where the dtype is the same.",
        call=array_method("astype"),
        examples=("x.astype(x.dtype)",),
    ),
    array_copy(
        name="numpy.ndarray.astype(dtype)",
        summary="A converted copy; what does not fit wraps around or loses its fraction.",
        call=Call(names=("numpy.ndarray.astype",), when=where(dtype=Value.DTYPE)),
        examples=("x.astype(np.float32)",),
        dtype=Dtype.GIVEN,
        silently_wrong=(
            Wrong(
                code="np.array([300]).astype(np.uint8).item()",
                gives="44",
                wanted="300",
                why="a value out of range wraps around",
            ),
            Wrong(code="np.array([1.7]).astype(np.int64).item()", gives="1", wanted="1.7", why="fractions are cut off"),
            Wrong(
                code="np.array([16777217]).astype(np.float32).astype(np.int64).item()",
                gives="16777216",
                wanted="16777217",
                why="float32 holds integers exactly only up to 2**24",
            ),
        ),
    ),
    _row_major(
        name="numpy.ndarray.flatten",
        summary="A row-major copy in one dimension; Tensor.flatten gives a view where it can.",
        call=array_method("flatten"),
        examples=("x.flatten()",),
    ),
    array_copy(
        name="numpy.ndarray[list]",
        summary="A copy of the rows named.",
        call=Call(names=("numpy.ndarray.__getitem__",), style=Style.INDEX, when=where(index=Value.ADVANCED_INDEX)),
        examples=("x[[0]]", "x[[0, 0]]"),
        layout=Layout.CONTIGUOUS,
        subclass=Subclass.KEEPS_BUT_MEMMAP,
        rejects=(
            ARRAY_INDEX_OF_ZERO_D,
            Rejection(given=Trait.EMPTY, error="IndexError", text="index 0 is out of bounds for axis 0 with size 0"),
        ),
        silently_wrong=(
            Wrong(
                code="a = np.zeros(4); a[[1, 2]][0] = 5.0; a[1].item()",
                gives="0.0",
                wanted="5.0",
                why="the second index writes into a copy that nobody keeps",
            ),
        ),
    ),
    _row_major(
        name="numpy.ndarray[mask]",
        summary="A copy of the elements where the mask is true, in one dimension.",
        call=Call(names=("numpy.ndarray.__getitem__",), style=Style.INDEX, when=where(index=Value.MASK)),
        examples=("x[np.ones(x.shape, bool)]",),
        subclass=Subclass.KEEPS_BUT_MEMMAP,
    ),
    _row_major(
        name="numpy.take",
        summary="A copy of the elements at the positions named.",
        call=array_both("take"),
        examples=("np.take(x, [0])",),
        rejects=(
            Rejection(given=Trait.EMPTY, error="IndexError", text="cannot do a non-empty take from an empty axes"),
        ),
    ),
    _row_major(
        name="numpy.compress",
        summary="A copy of the rows where the condition is true.",
        call=Call(names=("numpy.compress",), source=1),
        examples=("np.compress([True], x, axis=0)",),
        rejects=(
            Rejection(given=Trait.EMPTY, error="IndexError", text="cannot do a non-empty take from an empty axes"),
        ),
    ),
    _join(
        name="numpy.concatenate",
        summary="One new array with all of them one after the other.",
        call=_joining("concatenate", "concat"),
        examples=("np.concatenate([x, x])", "np.concatenate([x])"),
        rejects=(
            Rejection(given=Trait.ZERO_D, error="ValueError", text="zero-dimensional arrays cannot be concatenated"),
        ),
    ),
    _join(
        name="numpy.stack",
        summary="One new array with a new dimension.",
        call=_joining("stack"),
        examples=("np.stack([x, x])",),
        rejects=(
            Rejection(
                code="np.stack([np.ones(2), np.ones(3)])",
                error="ValueError",
                text="all input arrays must have the same shape",
            ),
        ),
    ),
    _join(
        name="numpy.vstack",
        summary="concatenate along the first dimension, after making each at least two-dimensional.",
        call=_joining("vstack", "hstack", "dstack", "column_stack"),
        examples=("np.vstack([x, x])", "np.hstack([x, x])"),
    ),
    _row_major(
        name="numpy.repeat",
        summary="A copy with each element several times in a row.",
        call=array_both("repeat"),
        examples=("np.repeat(x, 2)",),
    ),
    array_copy(
        name="numpy.tile",
        summary="A copy with the array several times over.",
        call=numpy("tile"),
        examples=("np.tile(x, 2)", "np.tile(x, 1)"),
        layout=Layout.DENSE,
    ),
    array_copy(
        name="numpy.roll",
        summary="A copy with the elements moved around in a circle.",
        call=numpy("roll"),
        examples=("np.roll(x, 1)",),
        layout=Layout.CONTIGUOUS,
    ),
    _plain(
        name="numpy.resize",
        summary="A row-major copy of the shape given, filled up by repeating.",
        call=numpy("resize"),
        examples=("np.resize(x, (2, 2))",),
        dtype=Dtype.NATIVE,
        layout=Layout.CONTIGUOUS,
    ),
    array_copy(
        name="numpy.where",
        summary="A new array that takes each element from one of two.",
        call=Call(names=("numpy.where",), source=1),
        examples=("np.where(True, x, x)",),
        dtype=Dtype.NATIVE,
        subclass=Subclass.DROPS,
    ),
    array_copy(
        name="numpy.nan_to_num",
        summary="A copy with NaN and infinities replaced; a copy also where there are none.",
        call=numpy("nan_to_num"),
        examples=("np.nan_to_num(x)",),
    ),
    array_copy(
        name="numpy.ndarray.__pos__",
        summary="A copy; the same operator on a tensor gives the tensor itself.",
        call=Call(names=("numpy.ndarray.__pos__", "numpy.positive"), style=Style.OPERATOR),
        examples=("+x",),
        dtype=Dtype.NATIVE,
        subclass=Subclass.KEEPS_BUT_MEMMAP,
        rejects=(Rejection(given=Trait.BOOL, error="UFuncTypeError", text="ufunc 'positive' did not contain a loop"),),
    ),
    array_copy(
        name="numpy.ndarray.__add__(0)",
        summary="A copy by arithmetic, in the promoted dtype.",
        call=Call(names=("numpy.ndarray.__add__", "numpy.add"), style=Style.OPERATOR),
        examples=("x + 0",),
        dtype=Dtype.PROMOTED,
        subclass=Subclass.KEEPS_BUT_MEMMAP,
    ),
    array_copy(
        name="numpy.conj",
        summary="A copy, conjugated; a copy also of real numbers. Tensor.conj gives a view.",
        call=array_both("conj"),
        examples=("np.conj(x)",),
        dtype=Dtype.PROMOTED,
        subclass=Subclass.KEEPS_BUT_MEMMAP,
    ),
    array_copy(
        name="numpy.ndarray.byteswap",
        summary="A copy with the bytes of each element reversed and the dtype unchanged: other values.",
        call=array_method("byteswap"),
        examples=("x.byteswap()",),
        silently_wrong=(
            Wrong(
                code="np.array([1], np.int32).byteswap().item()",
                gives="16777216",
                wanted="1",
                why="the bytes are reversed and the dtype does not say so",
            ),
        ),
        crashes=(
            Crash(
                code="np.array(['a', 'b'], dtype=np.dtypes.StringDType()).byteswap()",
                ends=("SIGSEGV",),
                why="the bytes swapped are pointers to text",
                since="numpy 2.0",
            ),
        ),
    ),
    array_copy(
        name="numpy.ndarray.astype(native)",
        summary="A copy in the machine's byte order, with the same values.",
        call=Call(names=("numpy.ndarray.astype",), when=where(dtype=Value.DTYPE)),
        examples=("x.astype(x.dtype.newbyteorder('='))",),
        dtype=Dtype.NATIVE,
    ),
    array_copy(
        name="numpy.ma.copy",
        summary="A copy with its mask.",
        call=Call(names=("numpy.ma.MaskedArray.copy", "numpy.ma.copy")),
        examples=("x.copy()",),
        source=Kind.MASKED,
        result=Kind.MASKED,
        layout=Layout.CONTIGUOUS,
    ),
)
