"""Making a tensor or an array from lists, tuples and numbers: always a copy, in a dtype taken from the values."""

from __future__ import annotations

from functools import partial

from .model import (
    Call,
    Device,
    Dtype,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    Subclass,
    Warns,
    Wrong,
)

_to_tensor = partial(
    Operation,
    source=Kind.SEQUENCE,
    memory=Memory.COPIES,
    requires_grad=RequiresGrad.NO,
    dtype=Dtype.INFERRED,
    device=Device.DEFAULT,
    layout=Layout.CONTIGUOUS,
    subclass=Subclass.NOT_APPLICABLE,
)
_to_array = partial(
    Operation,
    source=Kind.SEQUENCE,
    result=Kind.ARRAY,
    memory=Memory.COPIES,
    dtype=Dtype.INFERRED,
    device=Device.HOST,
    layout=Layout.CONTIGUOUS,
)
_RAGGED = Rejection(
    code="torch.tensor([[1, 2], [3]])", error="ValueError", text="expected sequence of length 2 at dim 1 (got 1)"
)
_CUTS_SCALARS = "the elements are read as Python numbers, which have no graph; torch.stack keeps it"


def _rounds(call: str) -> Wrong:
    """An integer beside a float in one list."""
    return Wrong(
        code=f"int({call}([16777217, 0.5])[0].item())",
        gives="16777216",
        wanted="16777217",
        why="one float makes the whole list float32, which holds integers exactly only up to 2**24",
    )


def _overflows(call: str) -> Wrong:
    """A float that float32 has not."""
    return Wrong(
        code=f"{call}([1e300]).item()",
        gives="float('inf')",
        wanted="1e300",
        why="Python floats become float32, whose largest value is 3.4e38",
    )


def _drops_graph(call: str) -> Wrong:
    """A list of scalars on the graph."""
    return Wrong(
        code=f"a = torch.ones(1, requires_grad=True).sum(); {call}([a, a]).requires_grad",
        gives="False",
        wanted="True",
        why=_CUTS_SCALARS,
    )


def _drops_dimension(call: str) -> Wrong:
    """A list of tensors with one element each."""
    return Wrong(
        code=f"tuple({call}([torch.ones(1), torch.ones(1)]).shape)",
        gives="(2,)",
        wanted="(2, 1)",
        why="tensors with one element are read as numbers",
    )


def _all_wrong(call: str) -> tuple[Wrong, ...]:
    return _rounds(call), _overflows(call), _drops_graph(call), _drops_dimension(call)


def _size(call: str, shape: str) -> Wrong:
    """A number, or what counts as one, taken as a size."""
    return Wrong(
        code=f"tuple({call}.shape)",
        gives=shape,
        wanted="()",
        why="it is taken as a size, and the memory is not initialised",
    )


_SCALAR_GRAPH = Warns(
    code="torch.tensor([torch.ones((), requires_grad=True)])",
    text="Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior",
    once=True,
    since="torch 2.8",
)

OPERATIONS = (
    _to_tensor(
        name="torch.tensor(list)",
        summary="A new tensor with the values; floats in the default dtype, integers int64.",
        call=Call(names=("torch.tensor",)),
        examples=("torch.tensor(x)",),
        rejects=(
            _RAGGED,
            Rejection(
                code="torch.tensor([2**63])",
                error="ValueError",
                text="Overflow when unpacking long long",
                since="torch 2.9",
            ),
            Rejection(
                code="torch.tensor([2**63])",
                error="RuntimeError",
                text="Overflow when unpacking long",
                until="torch 2.9",
            ),
            Rejection(code="torch.tensor([1, None])", error="RuntimeError", text="Could not infer dtype of NoneType"),
            Rejection(code="torch.tensor(['1'])", error="ValueError", text="too many dimensions 'str'"),
            Rejection(code="torch.tensor('abc')", error="TypeError", text="new(): invalid data type 'str'"),
            Rejection(code="torch.tensor({1, 2})", error="RuntimeError", text="Could not infer dtype of set"),
            Rejection(
                code="torch.tensor(i for i in range(2))",
                error="RuntimeError",
                text="Could not infer dtype of generator",
            ),
            Rejection(
                code="torch.tensor([torch.ones(2), torch.ones(2)])",
                error="ValueError",
                text="only one element tensors can be converted to Python scalars",
            ),
            Rejection(code="torch.tensor([np.array(1.0)])", error="TypeError", text="len() of unsized object"),
            Rejection(
                code="torch.tensor([300], dtype=torch.uint8)",
                error="RuntimeError",
                text="value cannot be converted to type uint8 without overflow",
            ),
            Rejection(
                code="torch.tensor([float('nan')], dtype=torch.int64)",
                error="RuntimeError",
                text="value cannot be converted to type int64 without overflow",
            ),
        ),
        silently_wrong=(
            Wrong(
                code="torch.tensor([float('nan')], dtype=torch.bool).item()",
                gives="True",
                wanted="False",
                why="NaN is not zero, so it counts as true",
            ),
            Wrong(
                code="int(torch.tensor([np.float32(0.5), 16777217])[1].item())",
                gives="16777216",
                wanted="16777217",
                why="a NumPy float32 makes the whole list float32",
            ),
            *_all_wrong("torch.tensor"),
            Wrong(
                code="torch.tensor([-1], dtype=torch.uint8).item()",
                gives="255",
                wanted="-1",
                why="larger values are refused, -1 is let through",
            ),
            Wrong(
                code="torch.tensor(np.ma.masked).item()",
                gives="0.0",
                wanted="None",
                why="the masked constant is read as zero",
            ),
        ),
        warns=(
            _SCALAR_GRAPH,
            Warns(
                code="torch.tensor([np.ones(2), np.ones(2)])",
                text="Creating a tensor from a list of numpy.ndarrays is extremely slow",
                once=True,
            ),
        ),
    ),
    _to_tensor(
        name="torch.as_tensor(list)",
        summary="A new tensor with the values: there is no memory to share.",
        call=Call(names=("torch.as_tensor",)),
        examples=("torch.as_tensor(x)",),
        silently_wrong=_all_wrong("torch.as_tensor"),
        warns=(_SCALAR_GRAPH,),
    ),
    _to_tensor(
        name="torch.asarray(list)",
        summary="A new tensor with the values: there is no memory to share.",
        call=Call(names=("torch.asarray",)),
        examples=("torch.asarray(x)", "torch.asarray(x, copy=True)"),
        rejects=(
            Rejection(
                code="torch.asarray([1.0], copy=False)",
                error="ValueError",
                text="can't alias arbitrary sequence into a tensor",
            ),
            Rejection(code="torch.asarray(1.0, copy=False)", error="ValueError", text="can't alias arbitrary sequence"),
        ),
        silently_wrong=_all_wrong("torch.asarray"),
        warns=(_SCALAR_GRAPH,),
    ),
    _to_tensor(
        name="torch.Tensor(list)",
        summary="A new tensor with the values in the default dtype, whatever they are.",
        call=Call(names=("torch.Tensor",)),
        examples=("torch.Tensor(x)",),
        dtype=Dtype.DEFAULT,
        device=Device.HOST,
        silently_wrong=(
            *_all_wrong("torch.Tensor"),
            Wrong(
                code="int(torch.Tensor([2**53 + 1]).item())",
                gives="2**53",
                wanted="2**53 + 1",
                why="integers become floats of the default dtype",
            ),
            _size("torch.Tensor(torch.Size([2, 3]))", "(2, 3)"),
        ),
    ),
    _to_tensor(
        name="torch.FloatTensor(list)",
        summary="A new float32 tensor with the values, whatever they are.",
        call=Call(names=("torch.FloatTensor",)),
        examples=("torch.FloatTensor(x)",),
        dtype=Dtype.FIXED,
        dtype_name="torch.float32",
        device=Device.HOST,
        silently_wrong=(_rounds("torch.FloatTensor"), _overflows("torch.FloatTensor")),
    ),
    _to_tensor(
        name="torch.LongTensor(list)",
        summary="A new int64 tensor with the values; fractions are cut off.",
        call=Call(names=("torch.LongTensor",)),
        examples=("torch.LongTensor(x)",),
        dtype=Dtype.FIXED,
        dtype_name="torch.int64",
        device=Device.HOST,
        silently_wrong=(
            Wrong(code="torch.LongTensor([1.7]).item()", gives="1", wanted="1.7", why="fractions are cut off"),
        ),
    ),
    _to_tensor(
        name="torch.Tensor.new_tensor(list)",
        summary="A new tensor with the values in the receiver's dtype and device.",
        call=Call(names=("torch.Tensor.new_tensor",), source=1),
        examples=("torch.ones(1, dtype=torch.float32).new_tensor(x)",),
        dtype=Dtype.FIXED,
        dtype_name="torch.float32",
        device=Device.HOST,
        silently_wrong=(
            Wrong(
                code="torch.ones(1, dtype=torch.int64).new_tensor([1.7]).item()",
                gives="1",
                wanted="1.7",
                why="the result takes the dtype of the receiver, not of the data",
            ),
        ),
    ),
    _to_tensor(
        name="torch.tensor(number)",
        summary="A new 0-d tensor; floats in the default dtype, integers int64, NumPy numbers in their own.",
        call=Call(names=("torch.tensor", "torch.as_tensor", "torch.asarray", "torch.scalar_tensor")),
        examples=("torch.tensor(x)", "torch.as_tensor(x)", "torch.asarray(x)"),
        source=Kind.SCALAR,
        rejects=(
            Rejection(
                code="torch.tensor(2**63)",
                error="ValueError",
                text="Overflow when unpacking long long",
                since="torch 2.9",
            ),
            Rejection(
                code="torch.tensor(2**63)", error="RuntimeError", text="Overflow when unpacking long", until="torch 2.9"
            ),
            Rejection(code="torch.tensor(None)", error="RuntimeError", text="Could not infer dtype of NoneType"),
        ),
        silently_wrong=(
            Wrong(
                code="torch.tensor(1e300).item()",
                gives="float('inf')",
                wanted="1e300",
                why="Python floats become float32, whose largest value is 3.4e38",
            ),
        ),
    ),
    Operation(
        name="torch.Tensor(number)",
        summary="Not a tensor with that value: an uninitialised one of that size.",
        call=Call(names=("torch.Tensor", "torch.FloatTensor", "torch.DoubleTensor", "torch.LongTensor")),
        examples=("torch.Tensor(x)", "torch.FloatTensor(x)"),
        setup="x = 3",
        source=Kind.SCALAR,
        memory=Memory.COPIES,
        requires_grad=RequiresGrad.NO,
        dtype=Dtype.DEFAULT,
        device=Device.HOST,
        layout=Layout.CONTIGUOUS,
        takes_values=False,
        rejects=(
            Rejection(code="torch.Tensor(5.0)", error="TypeError", text="data must be a sequence (got float)"),
            Rejection(code="torch.Tensor(True)", error="TypeError", text="data must be a sequence (got bool)"),
        ),
        silently_wrong=(
            _size("torch.Tensor(5)", "(5,)"),
            _size("torch.Tensor(np.int64(5))", "(5,)"),
            _size("torch.Tensor(type('I', (), {'__index__': lambda self: 4})())", "(4,)"),
            Wrong(
                code="from enum import IntEnum\nE = IntEnum('E', {'A': 2})\ntuple(torch.Tensor(E.A).shape)",
                gives="(2,)",
                wanted="()",
                why="it is taken as a size, and the memory is not initialised",
            ),
        ),
    ),
    _to_array(
        name="numpy.array(list)",
        summary="A new array with the values: Python floats float64, integers int64.",
        call=Call(names=("numpy.array", "numpy.asarray", "numpy.asanyarray")),
        examples=("np.array(x)", "np.asarray(x)"),
        rejects=(
            Rejection(code="np.array([[1, 2], [3]])", error="ValueError", text="inhomogeneous shape"),
            Rejection(
                code="np.asarray([1.0], copy=False)",
                error="ValueError",
                text="Unable to avoid copy while creating an array as requested",
                since="numpy 2.0",
            ),
            Rejection(
                code="np.array([torch.ones(1, requires_grad=True)])",
                error="RuntimeError",
                text="Can't call numpy() on Tensor that requires grad",
            ),
            Rejection(
                code="np.array([float('nan')], dtype=np.int64)",
                error="ValueError",
                text="cannot convert float NaN to integer",
            ),
        ),
        silently_wrong=(
            Wrong(
                code="np.array([2**63]).dtype.char",
                gives="'Q'",
                wanted="'L'",
                why="the type is named uint64 and is not the one that torch looks for",
            ),
            Wrong(
                code="np.array([2**53 + 1, 0.5])[0].item() == 2**53 + 1",
                gives="False",
                wanted="True",
                why="one float makes the whole list float64, which holds integers exactly only up to 2**53",
            ),
        ),
    ),
)
