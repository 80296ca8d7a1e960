"""Making a tensor from an ndarray."""

from __future__ import annotations

from functools import partial

from ._refusals import FROM_ARRAY, TORCH_DTYPE, TORCH_ORDER, TORCH_UNSIGNED
from ._templates import array_to_tensor, chain, where
from .model import (
    Call,
    Crash,
    Device,
    Dtype,
    Layout,
    Memory,
    Operation,
    Rejection,
    Trait,
    Value,
    Warns,
    Wrong,
)

_laid_over = partial(array_to_tensor, rejects=FROM_ARRAY)
_copied = partial(array_to_tensor, memory=Memory.COPIES, layout=Layout.PRESERVED, rejects=FROM_ARRAY)
_READ_ONLY = Warns(
    given=Trait.READ_ONLY,
    text="The given NumPy array is not writable, and PyTorch does not support non-writable tensors",
    once=True,
)
_UNMASKED = "a masked array is an ndarray; its mask is not looked at"


def _loses_mask(call: str) -> Wrong:
    """The hidden value of a masked array comes out as data."""
    return Wrong(
        code=f"x = np.ma.masked_array([1.0, 999.0], mask=[0, 1]); {call}.tolist()",
        gives="[1.0, 999.0]",
        wanted="[1.0, None]",
        why=_UNMASKED,
    )


def _writes_read_only(call: str) -> Wrong:
    """A tensor is laid over memory that must not be written."""
    return Wrong(
        code=f"x = np.zeros(2); x.flags.writeable = False; {call}[0] = 7.0; x[0].item()",
        gives="7.0",
        wanted="0.0",
        why="tensors have no read-only flag, so the write goes through",
    )


_LONGLONG = Rejection(
    code="torch.from_numpy(np.zeros(1, 'Q'))",
    error="TypeError",
    text="can't convert np.ndarray of type numpy.ulonglong",
)


def _legacy(name: str, dtype: str, *, wrong: tuple[Wrong, ...]) -> Operation:
    """A legacy constructor: it lays a tensor over an array of its own dtype and converts any other."""
    asked = "array of the default dtype" if name == "Tensor" else f"{dtype} array"
    return array_to_tensor(
        name=f"torch.{name}(ndarray)",
        summary=f"Shares the memory of a {asked}, converts a copy of any other.",
        call=Call(names=(f"torch.{name}",)),
        examples=(f"torch.{name}(x)",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.OTHER_DTYPE,),
        dtype=Dtype.DEFAULT if name == "Tensor" else Dtype.FIXED,
        dtype_name="" if name == "Tensor" else f"torch.{dtype}",
        layout=Layout.PRESERVED,
        rejects=FROM_ARRAY,
        silently_wrong=wrong,
    )


_SHARES = Wrong(
    code="x = np.zeros(2, np.float32); torch.Tensor(x)[0] = 5.0; x[0].item()",
    gives="5.0",
    wanted="0.0",
    why="the constructor shares the memory of a float32 array",
)
_ROUNDS = Wrong(
    code="int(torch.Tensor(np.array([16777217]))[0].item())",
    gives="16777216",
    wanted="16777217",
    why="float32 holds integers exactly only up to 2**24",
)
_REAL_PART = Wrong(
    code="torch.Tensor(np.array([1 + 2j])).tolist()",
    gives="[1.0]",
    wanted="[1 + 2j]",
    why="the imaginary part is dropped, with a warning only",
)
_AS_SIZE = Wrong(
    code="tuple(torch.Tensor(np.array(3)).shape)",
    gives="(3,)",
    wanted="()",
    why="a 0-d integer array is taken as a size, and the memory is not initialised",
)

OPERATIONS = (
    _laid_over(
        name="torch.from_numpy",
        summary="A tensor over the array's own memory.",
        call=Call(names=("torch.from_numpy",)),
        examples=("torch.from_numpy(x)",),
        rejects=(
            *FROM_ARRAY,
            _LONGLONG,
            Rejection(code="torch.from_numpy([1.0])", error="TypeError", text="expected np.ndarray (got list)"),
            Rejection(
                code="torch.from_numpy(np.zeros(2, dtype=[('a', 'u1'), ('b', 'f4')])['b'])",
                error="ValueError",
                text="given numpy array strides not a multiple of the element byte size",
            ),
        ),
        silently_wrong=(_writes_read_only("torch.from_numpy(x)"), _loses_mask("torch.from_numpy(x)")),
        crashes=(
            Crash(
                code="import tempfile, os\np = os.path.join(tempfile.mkdtemp(), 'a.bin'); np.zeros(4).tofile(p)\n"
                "torch.from_numpy(np.memmap(p, mode='r', dtype='f8'))[0] = 1.0",
                ends=("SIGSEGV", "SIGBUS"),
                why="the file is mapped without write permission, and a tensor has no read-only flag",
            ),
        ),
        warns=(_READ_ONLY,),
    ),
    _laid_over(
        name="torch.as_tensor(ndarray)",
        summary="A tensor over the array's own memory.",
        call=Call(names=("torch.as_tensor",)),
        examples=("torch.as_tensor(x)",),
        device=Device.DEFAULT,
        silently_wrong=(_writes_read_only("torch.as_tensor(x)"), _loses_mask("torch.as_tensor(x)")),
        warns=(_READ_ONLY,),
    ),
    _copied(
        name="torch.as_tensor(ndarray, dtype)",
        summary="A tensor over the array's memory if the dtype fits, else a converted copy.",
        call=Call(names=("torch.as_tensor",), when=where(dtype=Value.GIVEN)),
        examples=("torch.as_tensor(x, dtype=torch.float64)", "torch.as_tensor(x, dtype=torch.float32)"),
        memory=Memory.DEPENDS,
        copies_if=(Trait.OTHER_DTYPE,),
        dtype=Dtype.GIVEN,
        device=Device.DEFAULT,
        silently_wrong=(
            Wrong(
                code="torch.as_tensor(np.array([300.0]), dtype=torch.uint8).item()",
                gives="44",
                wanted="300",
                why="a value out of range wraps around; a list with the same value is refused",
            ),
        ),
    ),
    _copied(
        name="torch.tensor(ndarray)",
        summary="A copy of the array.",
        call=Call(names=("torch.tensor",)),
        examples=("torch.tensor(x)",),
        device=Device.DEFAULT,
        silently_wrong=(_loses_mask("torch.tensor(x)"),),
    ),
    _copied(
        name="torch.tensor(ndarray, dtype)",
        summary="A converted copy of the array.",
        call=Call(names=("torch.tensor",), when=where(dtype=Value.GIVEN)),
        examples=("torch.tensor(x, dtype=torch.float32)",),
        dtype=Dtype.GIVEN,
        device=Device.DEFAULT,
    ),
    _copied(
        name="torch.asarray(ndarray)",
        summary="A tensor over the array's memory; a 0-d array is copied.",
        call=Call(names=("torch.asarray",)),
        examples=("torch.asarray(x)", "torch.asarray(x, copy=False)"),
        memory=Memory.DEPENDS,
        copies_if=(Trait.ZERO_D,),
        device=Device.DEFAULT,
        layout=Layout.SAME,
        silently_wrong=(
            _writes_read_only("torch.asarray(x)"),
            _loses_mask("torch.asarray(x)"),
            Wrong(
                code="x = np.array(1.0); t = torch.asarray(x, copy=False); x[()] = 5.0; t.item()",
                gives="1.0",
                wanted="5.0",
                why="a 0-d array is copied although copy=False forbids it",
            ),
        ),
        warns=(_READ_ONLY,),
    ),
    _copied(
        name="torch.asarray(ndarray, copy=True)",
        summary="A copy of the array.",
        call=Call(names=("torch.asarray",), when=where(copy=Value.TRUE)),
        examples=("torch.asarray(x, copy=True)",),
        device=Device.DEFAULT,
        silently_wrong=(_loses_mask("torch.asarray(x, copy=True)"),),
    ),
    _copied(
        name="torch.asarray(ndarray, dtype)",
        summary="A tensor over the array's memory if the dtype fits, else a converted copy.",
        call=Call(names=("torch.asarray",), when=where(dtype=Value.GIVEN)),
        examples=("torch.asarray(x, dtype=torch.float64)",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.OTHER_DTYPE, Trait.ZERO_D),
        dtype=Dtype.GIVEN,
        device=Device.DEFAULT,
        rejects=(
            *FROM_ARRAY,
            Rejection(
                code="torch.asarray(np.array([1]), dtype=torch.float32, copy=False)",
                error="ValueError",
                text="can't alias tensor with dtype 'Long' into dtype 'Float'",
            ),
        ),
    ),
    _copied(
        name="torch.Tensor.new_tensor(ndarray)",
        summary="A copy of the array in the receiver's dtype and device.",
        call=Call(names=("torch.Tensor.new_tensor",), source=1),
        examples=("torch.empty(3, dtype=torch.float32).new_tensor(x)",),
        dtype=Dtype.FIXED,
        dtype_name="torch.float32",
        silently_wrong=(
            Wrong(
                code="torch.ones(1, dtype=torch.int64).new_tensor(np.array([1.7])).item()",
                gives="1",
                wanted="1.7",
                why="the result takes the dtype of the receiver, not of the data",
            ),
        ),
    ),
    _copied(
        name="torch.from_numpy(x.copy())",
        summary="A copy made by NumPy, with a tensor over it; fit for arrays that torch cannot look at.",
        call=chain("numpy.ndarray.copy", "torch.from_numpy"),
        examples=("torch.from_numpy(x.copy())",),
        layout=Layout.CONTIGUOUS,
        rejects=(TORCH_DTYPE, TORCH_ORDER, TORCH_UNSIGNED),
    ),
    _copied(
        name="torch.from_numpy(np.ascontiguousarray(x))",
        summary="A tensor over a row-major array's memory, else over a row-major copy.",
        call=chain("numpy.ascontiguousarray", "torch.from_numpy"),
        examples=("torch.from_numpy(np.ascontiguousarray(x))",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.NON_CONTIGUOUS,),
        layout=Layout.CONTIGUOUS,
        rejects=(TORCH_DTYPE, TORCH_ORDER, TORCH_UNSIGNED),
        silently_wrong=(
            Wrong(
                code="tuple(torch.from_numpy(np.ascontiguousarray(np.array(3.5))).shape)",
                gives="(1,)",
                wanted="()",
                why="ascontiguousarray gives every array at least one dimension",
            ),
        ),
    ),
    _copied(
        name="torch.tensor(ndarray.tolist())",
        summary="A detour through Python numbers: a copy, much slower, in the default dtype.",
        call=chain("numpy.ndarray.tolist", "torch.tensor"),
        examples=("torch.tensor(x.tolist())",),
        dtype=Dtype.INFERRED,
        device=Device.DEFAULT,
        layout=Layout.CONTIGUOUS,
        rejects=(
            Rejection(
                given=Trait.LONG_DOUBLE, error="TypeError", text="can't convert np.ndarray of type numpy.longdouble"
            ),
        ),
    ),
    _legacy("Tensor", "float32", wrong=(_SHARES, _ROUNDS, _REAL_PART, _AS_SIZE, _loses_mask("torch.Tensor(x)"))),
    _legacy("FloatTensor", "float32", wrong=()),
    _legacy("DoubleTensor", "float64", wrong=()),
    _legacy("IntTensor", "int32", wrong=()),
    _legacy("ByteTensor", "uint8", wrong=()),
    _legacy("BoolTensor", "bool", wrong=()),
    _legacy(
        "LongTensor",
        "int64",
        wrong=(
            Wrong(
                code="torch.LongTensor(np.array([2**64 - 1], np.uint64)).item()",
                gives="-1",
                wanted="2**64 - 1",
                why="a value out of range wraps around",
                since="torch 2.3",
            ),
            Wrong(
                code="torch.LongTensor(np.array([1.7])).item()",
                gives="1",
                wanted="1.7",
                why="fractions are cut off",
            ),
        ),
    ),
)
