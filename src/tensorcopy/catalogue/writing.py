"""Tensor calls that change memory: in-place methods, assignments, and calls that write into a destination."""

from __future__ import annotations

from functools import partial

from ._refusals import IN_PLACE_ON_LEAF, WRITE_INTO_EXPANDED
from ._templates import in_place, into_tensor, where
from .model import (
    Call,
    Crash,
    Dtype,
    Graph,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    ReturnsSelf,
    Style,
    Subclass,
    Trait,
    Value,
    Version,
    Wrong,
)

_INTO_SOURCE = (IN_PLACE_ON_LEAF, WRITE_INTO_EXPANDED)


def _written(*names: str, style: Style = Style.CALL) -> Call:
    """Methods that write their receiver."""
    return Call(names=tuple(f"torch.Tensor.{n}" for n in names), style=style, writes_to=(0,))


_on_source = partial(in_place, rejects=_INTO_SOURCE)
_DST = "dst = torch.zeros(x.shape, dtype=x.dtype)"
_WIDER = "dst = torch.zeros(x.shape, dtype=torch.complex128)"
_into = partial(into_tensor, setup=_DST)
_CAST = Rejection(
    code="torch.ones(1, dtype=torch.int64).add_(1.5)",
    error="RuntimeError",
    text="result type Float can't be cast to the desired output type",
)
_NUMBER_INTO_BOOL = Rejection(
    given=Trait.BOOL, error="RuntimeError", text="can't be cast to the desired output type Bool"
)

OPERATIONS = (
    _on_source(
        name="torch.Tensor.fill_",
        summary="Writes one value everywhere; what was there, and its graph, is gone.",
        call=_written("fill_", "zero_"),
        examples=("x.fill_(0)", "x.zero_()"),
        rejects=(IN_PLACE_ON_LEAF,),
        silently_wrong=(
            Wrong(
                code="torch.ones(1, dtype=torch.int64).fill_(2.9).item()",
                gives="2",
                wanted="2.9",
                why="the value is cut to the tensor's dtype",
            ),
        ),
        aten="fill_.Scalar",
    ),
    _on_source(
        name="torch.Tensor.add_",
        summary="Arithmetic into the receiver's own memory; every view and alias sees it.",
        call=_written("add_", "sub_", "mul_"),
        examples=("x.add_(1)", "x.mul_(2)"),
        rejects=(*_INTO_SOURCE, _CAST, _NUMBER_INTO_BOOL),
        aten="add_.Tensor",
    ),
    _on_source(
        name="torch.Tensor.__iadd__",
        summary="x += y is add_: it writes into the memory that x names, seen by every alias.",
        call=_written("__iadd__", "__isub__", "__imul__", style=Style.OPERATOR),
        examples=("x += 1\nx", "x *= 2\nx"),
        rejects=(*_INTO_SOURCE, _CAST, _NUMBER_INTO_BOOL),
    ),
    _on_source(
        name="torch.Tensor.div_",
        summary="Division into the receiver's own memory.",
        call=_written("div_", "__itruediv__"),
        examples=("x.div_(2)", "x /= 2\nx"),
        rejects=(
            *_INTO_SOURCE,
            Rejection(given=Trait.INTEGRAL, error="RuntimeError", text="can't be cast to the desired output type"),
        ),
        aten="div_.Tensor",
    ),
    _on_source(
        name="torch.Tensor.clamp_",
        summary="Limits the values in the receiver's own memory.",
        call=_written("clamp_", "clamp_max_", "clamp_min_", "clip_"),
        examples=("x.clamp_(max=0)",),
        rejects=(
            *_INTO_SOURCE,
            Rejection(given=Trait.COMPLEX, error="RuntimeError", text="clamp is not supported for complex types"),
            Rejection(given=Trait.BOOL, error="RuntimeError", text="can't be cast to the desired output type"),
        ),
    ),
    _on_source(
        name="torch.Tensor.neg_",
        summary="Changes every sign in the receiver's own memory.",
        call=_written("neg_", "abs_", "sqrt_", "exp_", "sigmoid_", "relu_", "tanh_"),
        examples=("x.neg_()",),
        rejects=(
            *_INTO_SOURCE,
            Rejection(
                given=Trait.BOOL,
                error="RuntimeError",
                text="Negation, the `-` operator, on a bool tensor is not supported",
            ),
        ),
        aten="neg_",
    ),
    _on_source(
        name="torch.Tensor.normal_",
        summary="Writes random numbers; what was there, and its graph, is gone.",
        call=_written("normal_", "uniform_", "exponential_", "random_", "bernoulli_"),
        examples=("x.normal_()",),
        rejects=(
            *_INTO_SOURCE,
            Rejection(given=Trait.INTEGRAL, error="RuntimeError", text="not implemented for"),
        ),
    ),
    _on_source(
        name="torch.Tensor.masked_fill_",
        summary="Writes one value where the mask is true.",
        call=_written("masked_fill_", "index_fill_"),
        examples=("x.masked_fill_(torch.ones(x.shape, dtype=torch.bool), 0)",),
        rejects=(IN_PLACE_ON_LEAF,),
        aten="masked_fill_.Scalar",
    ),
    _on_source(
        name="torch.Tensor[...] = number",
        summary="Writes one value into the part named.",
        call=_written("__setitem__", style=Style.INDEX_ASSIGNMENT),
        examples=("x[...] = 0\nx",),
        silently_wrong=(
            Wrong(
                code="a = torch.zeros(1, dtype=torch.int64); a[0] = 2.9; a.item()",
                gives="2",
                wanted="2.9",
                why="the value is cut to the tensor's dtype",
            ),
            Wrong(
                code="a = torch.zeros(4); a[[1, 2]][0] = 5.0; a.sum().item()",
                gives="0.0",
                wanted="5.0",
                why="the first index makes a copy, and the write goes into it",
            ),
        ),
    ),
    _on_source(
        name="torch.Tensor[mask] = number",
        summary="Writes one value where the mask is true.",
        call=Call(
            names=("torch.Tensor.__setitem__",),
            style=Style.INDEX_ASSIGNMENT,
            when=where(index=Value.MASK),
            writes_to=(0,),
        ),
        examples=("x[x == x] = 0\nx",),
        rejects=(IN_PLACE_ON_LEAF,),
    ),
    _into(
        name="torch.Tensor.copy_",
        summary="Writes the source's values into the receiver, on the graph of the source.",
        call=Call(names=("torch.Tensor.copy_",), source=1, writes_to=(0,)),
        examples=("dst.copy_(x)",),
        setup=_WIDER,
        subclass=Subclass.KEEPS,
        rejects=(
            Rejection(
                code="torch.ones(2, requires_grad=True).copy_(torch.ones(2))",
                error="RuntimeError",
                text="a leaf Variable that requires grad is being used in an in-place operation",
            ),
            Rejection(
                code="a = torch.arange(3.0); a[1:].copy_(a[:-1])",
                error="RuntimeError",
                text="some elements of the input tensor and the written-to tensor refer to a single memory location",
            ),
            Rejection(
                code="torch.zeros(1).expand(3).copy_(torch.ones(3))",
                error="RuntimeError",
                text="more than one element of the written-to tensor refers to a single memory location",
            ),
            Rejection(
                code="torch.ones(3).copy_(torch.ones(2, 3))",
                error="RuntimeError",
                text="output with shape [3] doesn't match the broadcast shape [2, 3]",
            ),
            Rejection(code="torch.ones(1).copy_([1.0])", error="TypeError", text="must be Tensor, not list"),
            Rejection(
                code="torch.ones(1).copy_(np.ones(1))", error="TypeError", text="must be Tensor, not numpy.ndarray"
            ),
        ),
        silently_wrong=(
            Wrong(
                code="torch.zeros(1, dtype=torch.uint8).copy_(torch.tensor([300.0])).item()",
                gives="44",
                wanted="300",
                why="a value out of range wraps around",
            ),
            Wrong(
                code="torch.zeros(1).copy_(torch.tensor([1e300], dtype=torch.float64)).item()",
                gives="float('inf')",
                wanted="1e300",
                why="float32 has no such value",
            ),
            Wrong(
                code="torch.zeros(1).copy_(torch.tensor([1 + 2j])).item()",
                gives="1.0",
                wanted="1 + 2j",
                why="the imaginary part is dropped, with a warning only",
            ),
        ),
        aten="copy_",
    ),
    _into(
        name="torch.Tensor[...] = tensor",
        summary="Writes the source's values into the part named, on the graph of the source.",
        call=Call(names=("torch.Tensor.__setitem__",), style=Style.INDEX_ASSIGNMENT, source=2, writes_to=(0,)),
        examples=("dst[...] = x\ndst",),
        setup=_WIDER,
        rejects=(
            Rejection(
                code="torch.zeros(2)[:] = np.ones(2)",
                error="TypeError",
                text="can't assign a numpy.ndarray to a torch.FloatTensor",
            ),
            Rejection(
                code="torch.zeros(2)[:] = [1.0, 1.0]",
                error="TypeError",
                text="can't assign a list to a torch.FloatTensor",
            ),
            Rejection(
                code="a = torch.arange(3.0); a[1:] = a[:-1]",
                error="RuntimeError",
                text="some elements of the input tensor and the written-to tensor refer to a single memory location",
            ),
        ),
    ),
    _into(
        name="torch.Tensor[mask] = tensor",
        summary="Writes the source's values where the mask is true, on the graph of the source.",
        call=Call(
            names=("torch.Tensor.__setitem__", "torch.Tensor.index_put_"),
            style=Style.INDEX_ASSIGNMENT,
            when=where(index=Value.MASK),
            source=2,
            writes_to=(0,),
        ),
        examples=("dst[torch.ones(x.shape, dtype=torch.bool)] = x.flatten()\ndst",),
    ),
    _into(
        name="torch.Tensor.index_copy_",
        summary="Writes the source's rows at the places named, on the graph of the source.",
        call=Call(names=("torch.Tensor.index_copy_", "torch.Tensor.index_add_"), source=3, writes_to=(0,)),
        examples=("dst.index_copy_(0, torch.arange(x.shape[0] if x.dim() else 1), x)",),
        subclass=Subclass.KEEPS,
        crashes=(
            Crash(
                code="torch.zeros(2, 2).index_copy_(0, torch.tensor([0, 1]), torch.ones(2, 2).to_mkldnn())",
                ends=("SIGSEGV", "RuntimeError", "NotImplementedError"),
                why="the opaque layout of the source is not checked",
            ),
        ),
    ),
    _into(
        name="torch.Tensor.scatter_",
        summary="Writes the source's elements at the places named, on the graph of the source.",
        call=Call(names=("torch.Tensor.scatter_",), source=3, writes_to=(0,)),
        examples=("dst.scatter_(0, torch.zeros(x.shape, dtype=torch.long), x)",),
        subclass=Subclass.KEEPS,
    ),
    _into(
        name="torch.add(out=)",
        summary="Writes the result into the destination; refused on the graph.",
        call=Call(
            names=("torch.add", "torch.mul", "torch.cat", "torch.stack"),
            when=where(out=Value.GIVEN),
            writes_to=("out",),
        ),
        examples=("torch.add(x, 0, out=dst)",),
        setup="dst = torch.zeros(x.shape, dtype=torch.result_type(x, 0))",
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        subclass=Subclass.KEEPS,
        rejects=(
            Rejection(
                given=Trait.REQUIRES_GRAD,
                error="RuntimeError",
                text="functions with out=... arguments don't support automatic differentiation",
            ),
        ),
    ),
    Operation(
        name="torch._foreach_copy_",
        summary="Writes a list of tensors into another one, one kernel for all.",
        call=Call(names=("torch._foreach_copy_",), source=1, in_sequence=True, writes_to=(0,)),
        examples=("torch._foreach_copy_([dst], [x])\ndst",),
        setup=_WIDER,
        memory=Memory.COPIES,
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.SAME,
        dtype=Dtype.TARGET,
        layout=Layout.TARGET,
        version=Version.SEPARATE,
        subclass=Subclass.TARGET,
    ),
    Operation(
        name="torch.UntypedStorage.fill_",
        summary="Writes bytes behind every tensor over the storage; autograd does not know.",
        call=Call(names=("torch.UntypedStorage.fill_", "torch.UntypedStorage.copy_"), writes_to=(0,)),
        examples=("x.fill_(0)",),
        source=Kind.STORAGE,
        result=Kind.STORAGE,
        memory=Memory.SHARES,
        dtype=Dtype.NOT_APPLICABLE,
        layout=Layout.NOT_APPLICABLE,
        returns_self=ReturnsSelf.ALWAYS,
    ),
)
