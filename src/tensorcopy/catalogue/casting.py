"""Tensor calls that change the dtype, and return the source itself where it has that dtype already."""

from __future__ import annotations

from functools import partial

from ._templates import method, self_or_copy, where
from .model import (
    Call,
    Dtype,
    Graph,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    ReturnsSelf,
    Subclass,
    Trait,
    Value,
    Version,
    Wrong,
)

_cast = partial(self_or_copy, copies_if=(Trait.OTHER_DTYPE,), dtype=Dtype.GIVEN)
_DISCARDS = Wrong(
    code="torch.tensor([1 + 2j]).float().item()",
    gives="1.0",
    wanted="1 + 2j",
    why="the imaginary part is dropped, with a warning only",
)
_WRAPS = Wrong(
    code="torch.tensor([300.0]).to(torch.uint8).item()",
    gives="44",
    wanted="300",
    why="a value out of range wraps around",
)
_TRUTH = Wrong(
    code="torch.tensor([float('nan')]).bool().item()",
    gives="True",
    wanted="False",
    why="NaN is not zero, so it counts as true",
)
_ROUNDS = Wrong(
    code="int(torch.tensor([16777217]).float().item())",
    gives="16777216",
    wanted="16777217",
    why="float32 holds integers exactly only up to 2**24",
)


def _to_float(name: str, dtype: str, *also: str, wrong: tuple[Wrong, ...] = ()) -> Operation:
    """A cast method whose result can carry a gradient."""
    return _cast(
        name=f"torch.Tensor.{name}",
        summary=f"The tensor itself if it is {dtype}, else a converted copy on the graph.",
        call=Call(names=tuple(f"torch.Tensor.{n}" for n in (name, *also))),
        examples=tuple(f"x.{n}()" for n in (name, *also)),
        dtype=Dtype.FIXED,
        dtype_name=f"torch.{dtype}",
        silently_wrong=wrong,
        aten="to.dtype",
    )


def _to_integer(name: str, dtype: str, wrong: tuple[Wrong, ...] = ()) -> Operation:
    """A cast method whose result is never on the graph, unless it is the source."""
    return _cast(
        name=f"torch.Tensor.{name}",
        summary=f"The tensor itself if it is {dtype}, else a converted copy, cut from the graph.",
        call=method(name),
        examples=(f"x.{name}()",),
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        dtype=Dtype.FIXED,
        dtype_name=f"torch.{dtype}",
        silently_wrong=wrong,
        aten="to.dtype",
    )


OPERATIONS = (
    _cast(
        name="torch.Tensor.to(dtype)",
        summary="The tensor itself if it has the dtype, else a converted copy; on the graph if the result can be.",
        call=Call(names=("torch.Tensor.to",), when=where(dtype=Value.DTYPE)),
        examples=(
            "x.to(torch.float64)",
            "x.to(torch.float32)",
            "x.to(torch.bfloat16)",
            "x.to(torch.int64)",
            "x.to(dtype=torch.complex64)",
            "x.to(torch.float64, non_blocking=True)",
        ),
        graph=Graph.DEPENDS,
        cuts_if=(Trait.RESULT_NOT_DIFFERENTIABLE,),
        requires_grad=RequiresGrad.IF_DIFFERENTIABLE,
        silently_wrong=(
            _WRAPS,
            Wrong(
                code="torch.tensor([-1]).to(torch.uint8).item()",
                gives="255",
                wanted="-1",
                why="an unsigned type has no negative values, and none is refused",
            ),
            Wrong(
                code="torch.tensor([float('nan')]).to(torch.int64).item() == 0 or "
                "torch.tensor([float('nan')]).to(torch.int64).item() == -(2**63)",
                gives="True",
                wanted="False",
                why="NaN becomes an integer that depends on the processor",
            ),
            Wrong(
                code="torch.tensor([float('inf')]).to(torch.float8_e4m3fn).float().item()",
                gives="448.0",
                wanted="float('inf')",
                why="float8_e4m3fn has no infinity and takes its largest value",
                since="torch 2.13",
            ),
        ),
        aten="to.dtype",
    ),
    _cast(
        name="torch.Tensor.to(tensor)",
        summary="The dtype and device of another tensor; the tensor itself if it has them.",
        call=Call(names=("torch.Tensor.to",), when=where(other=Value.TENSOR)),
        examples=("x.to(torch.empty(0, dtype=torch.float64))",),
        aten="to.other",
    ),
    _cast(
        name="torch.Tensor.type_as",
        summary="The dtype of another tensor; the tensor itself if it has it already.",
        call=method("type_as"),
        examples=("x.type_as(torch.empty(0, dtype=torch.float64))",),
    ),
    _cast(
        name="torch.Tensor.to(same dtype)",
        summary="The tensor itself: no copy, so a later write is seen by both.",
        call=Call(names=("torch.Tensor.to",), when=where(dtype=Value.DTYPE)),
        examples=("x.to(x.dtype)", "x.to(x)", "x.type(x.dtype)", "x.type_as(x)"),
        memory=Memory.SHARES,
        copies_if=(),
        dtype=Dtype.SAME,
        layout=Layout.SAME,
        version=Version.SHARED,
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
        aten="to.dtype",
    ),
    _cast(
        name="torch.Tensor.type(dtype)",
        summary="The tensor itself if it has the dtype, else a converted copy.",
        call=Call(names=("torch.Tensor.type",), when=where(dtype=Value.DTYPE)),
        examples=("x.type(torch.float64)",),
    ),
    Operation(
        name="torch.Tensor.type()",
        summary="The name of the type as text.",
        call=Call(names=("torch.Tensor.type",), when=where(dtype=Value.ABSENT)),
        examples=("x.type()",),
        result=Kind.TEXT,
        memory=Memory.COPIES,
        graph=Graph.CUTS,
        dtype=Dtype.NOT_APPLICABLE,
        layout=Layout.NOT_APPLICABLE,
        takes_values=False,
    ),
    _cast(
        name="torch.Tensor.to(memory_format=torch.channels_last)",
        summary="The tensor itself if its channels lie side by side, else a copy where they do; four dimensions only.",
        call=Call(names=("torch.Tensor.to",), when=where(memory_format=Value.GIVEN)),
        examples=("x.to(memory_format=torch.channels_last)",),
        setup="x = x if x.dim() == 4 else x.flatten()[:1].reshape(1, 1, 1, -1).expand(2, 2, 2, -1)",
        copies_if=(Trait.OTHER_FORMAT,),
        dtype=Dtype.SAME,
        layout=Layout.GIVEN,
        rejects=(
            Rejection(
                code="torch.ones(2, 3).to(memory_format=torch.channels_last)",
                error="RuntimeError",
                text="required rank 4 tensor to use channels_last format",
            ),
        ),
    ),
    _cast(
        name="torch.Tensor.to(memory_format=torch.contiguous_format)",
        summary="Row-major only for a source in channels-last order; any other source comes back as it is.",
        call=Call(names=("torch.Tensor.to",), when=where(memory_format=Value.GIVEN)),
        examples=("x.to(memory_format=torch.contiguous_format)",),
        copies_if=(Trait.CHANNELS_LAST,),
        dtype=Dtype.SAME,
        layout=Layout.GIVEN,
        silently_wrong=(
            Wrong(
                code="torch.zeros(2, 3).t().to(memory_format=torch.contiguous_format).is_contiguous()",
                gives="False",
                wanted="True",
                why="without a change of dtype or device the format is looked at only for channels-last sources",
            ),
        ),
    ),
    _cast(
        name="torch.Tensor.to(dtype, memory_format=torch.contiguous_format)",
        summary="A converted row-major copy; a source that has the dtype comes back as it is.",
        call=Call(names=("torch.Tensor.to",), when=where(dtype=Value.DTYPE, memory_format=Value.GIVEN)),
        examples=("x.to(torch.float64, memory_format=torch.contiguous_format)",),
        layout=Layout.GIVEN,
    ),
    _to_float("float", "float32", wrong=(_ROUNDS, _DISCARDS)),
    _to_float("double", "float64"),
    _to_float(
        "half",
        "float16",
        wrong=(
            Wrong(
                code="torch.tensor([70000.0]).half().item()",
                gives="float('inf')",
                wanted="70000.0",
                why="the largest float16 is 65504",
            ),
        ),
    ),
    _to_float(
        "bfloat16",
        "bfloat16",
        wrong=(
            Wrong(
                code="int(torch.tensor([257]).bfloat16().item())",
                gives="256",
                wanted="257",
                why="bfloat16 holds integers exactly only up to 256",
            ),
        ),
    ),
    _to_float("cfloat", "complex64"),
    _to_float("cdouble", "complex128"),
    _to_integer(
        "int",
        "int32",
        wrong=(
            Wrong(
                code="torch.tensor([2**31]).int().item()",
                gives="-(2**31)",
                wanted="2**31",
                why="a value out of range wraps around",
            ),
        ),
    ),
    _to_integer("long", "int64"),
    _to_integer("short", "int16"),
    _to_integer("char", "int8"),
    _to_integer("byte", "uint8"),
    _to_integer("bool", "bool", wrong=(_TRUTH,)),
)
