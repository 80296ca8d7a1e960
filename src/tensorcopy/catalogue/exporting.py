"""Giving a tensor to NumPy or to Python: arrays over its memory, and numbers taken out of it."""

from __future__ import annotations

from functools import partial

from ._refusals import NUMPY_DTYPE, NUMPY_OF_CONJ, NUMPY_OF_NEG, TO_ARRAY
from ._surprises import unseen_write
from ._templates import chain, method, tensor_to_array, where
from .model import (
    Call,
    Crash,
    Device,
    Dtype,
    Graph,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    Subclass,
    Trait,
    Value,
    Version,
    Warns,
    Wrong,
)

_shared = partial(tensor_to_array, rejects=TO_ARRAY)
_copied = partial(tensor_to_array, memory=Memory.COPIES, layout=Layout.PRESERVED, rejects=TO_ARRAY)
_python = partial(
    Operation,
    memory=Memory.COPIES,
    graph=Graph.CUTS,
    dtype=Dtype.PYTHON,
    device=Device.HOST,
    layout=Layout.NOT_APPLICABLE,
)
_NO_COPY_KEYWORD = Warns(
    category="DeprecationWarning",
    text="__array__ implementation doesn't accept a copy keyword",
    since="numpy 2.1",
)
_ALWAYS_RAISES = "Unable to avoid copy while creating an array as requested"
_WITHOUT_GRAPH = (NUMPY_OF_CONJ, NUMPY_OF_NEG, NUMPY_DTYPE)
_ONE_ELEMENT = Rejection(
    given=Trait.NOT_ONE_ELEMENT, error="RuntimeError", text="elements cannot be converted to Scalar"
)

OPERATIONS = (
    _shared(
        name="torch.Tensor.numpy",
        summary="An array over the tensor's memory; refused on the graph.",
        call=method("numpy"),
        examples=("x.numpy()",),
        rejects=(
            *TO_ARRAY,
            Rejection(
                code="torch.vmap(lambda a: torch.from_numpy(a.numpy()))(torch.ones(2))",
                error="RuntimeError",
                text="Cannot access data pointer of Tensor that doesn't have storage",
            ),
        ),
        silently_wrong=(
            Wrong(
                code="torch.jit.trace(lambda a: a + torch.from_numpy(a.numpy()), torch.ones(1))(torch.zeros(1)).item()",
                gives="1.0",
                wanted="0.0",
                why="a trace keeps the value it saw as a constant",
            ),
            unseen_write("b.detach().numpy()[:] = 0"),
        ),
        crashes=(
            Crash(
                code="look = torch.func.functionalize(lambda a: torch.from_numpy(a.numpy().copy()))\n"
                "assert (look(torch.full((4096,), 1.5)) == 1.5).all(), 'the array looks at other memory'",
                ends=("AssertionError", "SIGSEGV"),
                why="under functionalize the tensor that is asked has no memory of its own",
            ),
        ),
    ),
    _shared(
        name="torch.Tensor.numpy(force=True)",
        summary="An array over the memory of the detached tensor, or a copy where bits must be carried out.",
        call=Call(names=("torch.Tensor.numpy",), when=where(force=Value.TRUE)),
        examples=("x.numpy(force=True)",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.LAZY_BIT,),
        layout=Layout.PRESERVED,
        rejects=(NUMPY_DTYPE,),
    ),
    _shared(
        name="torch.Tensor.detach().numpy()",
        summary="An array over the tensor's memory, whether it is on the graph or not.",
        call=chain("torch.Tensor.detach", "torch.Tensor.numpy"),
        examples=("x.detach().numpy()", "x.detach().cpu().numpy()"),
        rejects=_WITHOUT_GRAPH,
    ),
    _copied(
        name="torch.Tensor.detach().numpy().copy()",
        summary="A row-major array of its own.",
        call=chain("torch.Tensor.detach", "torch.Tensor.numpy", "numpy.ndarray.copy"),
        examples=("x.detach().numpy().copy()",),
        layout=Layout.CONTIGUOUS,
        rejects=_WITHOUT_GRAPH,
    ),
    _shared(
        name="torch.Tensor.__array__",
        summary="An array over the tensor's memory, as NumPy's functions ask for it.",
        call=method("__array__"),
        examples=("x.__array__()",),
    ),
    _shared(
        name="torch.Tensor.__array__(dtype)",
        summary="An array over the tensor's memory if the dtype fits, else a converted copy.",
        call=Call(names=("torch.Tensor.__array__",), when=where(dtype=Value.GIVEN)),
        examples=("x.__array__(np.float64)", "x.__array__(dtype=np.float32)"),
        memory=Memory.DEPENDS,
        copies_if=(Trait.OTHER_DTYPE,),
        dtype=Dtype.GIVEN,
        layout=Layout.PRESERVED,
    ),
    _shared(
        name="numpy.asarray(tensor)",
        summary="An array over the tensor's memory.",
        call=Call(names=("numpy.asarray", "numpy.asanyarray")),
        examples=("np.asarray(x)", "np.asanyarray(x)"),
        rejects=(
            *TO_ARRAY,
            Rejection(
                code="np.asarray(torch.ones(2), copy=False)",
                error="ValueError",
                text=_ALWAYS_RAISES,
                since="numpy 2.0",
            ),
        ),
        silently_wrong=(unseen_write("np.asarray(b.detach())[:] = 0"),),
    ),
    _shared(
        name="numpy.asarray(tensor, dtype)",
        summary="An array over the tensor's memory if the dtype fits, else a converted copy.",
        call=Call(names=("numpy.asarray",), when=where(dtype=Value.GIVEN)),
        examples=("np.asarray(x, dtype=np.float64)",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.OTHER_DTYPE,),
        dtype=Dtype.GIVEN,
        layout=Layout.PRESERVED,
    ),
    _copied(
        name="numpy.asarray(tensor, copy=True)",
        summary="An array of its own.",
        call=Call(names=("numpy.asarray",), when=where(copy=Value.TRUE)),
        examples=("np.asarray(x, copy=True)",),
        warns=(_NO_COPY_KEYWORD,),
        since="numpy 2.0",
    ),
    _copied(
        name="numpy.array(tensor)",
        summary="An array of its own.",
        call=Call(names=("numpy.array",)),
        examples=("np.array(x)",),
        rejects=(
            *TO_ARRAY,
            Rejection(
                code="np.array(torch.ones(2), copy=False)", error="ValueError", text=_ALWAYS_RAISES, since="numpy 2.0"
            ),
        ),
        warns=(_NO_COPY_KEYWORD,),
    ),
    _shared(
        name="numpy.array(tensor, copy=None)",
        summary="An array over the tensor's memory.",
        call=Call(names=("numpy.array",), when=where(copy=Value.NONE)),
        examples=("np.array(x, copy=None)",),
        since="numpy 2.0",
    ),
    _copied(
        name="numpy.copy(tensor)",
        summary="An array of its own.",
        call=Call(names=("numpy.copy",)),
        examples=("np.copy(x)",),
        warns=(_NO_COPY_KEYWORD,),
    ),
    _shared(
        name="numpy.ascontiguousarray(tensor)",
        summary="An array over the memory of a row-major tensor, else a row-major copy.",
        call=Call(names=("numpy.ascontiguousarray",)),
        examples=("np.ascontiguousarray(x)",),
        memory=Memory.DEPENDS,
        copies_if=(Trait.NON_CONTIGUOUS,),
        layout=Layout.CONTIGUOUS,
    ),
    _copied(
        name="numpy.stack(tensors)",
        summary="A new array from tensors; not a tensor.",
        call=Call(names=("numpy.stack", "numpy.concatenate"), in_sequence=True),
        examples=("np.stack([x, x])",),
        layout=Layout.DENSE,
    ),
    _copied(
        name="numpy.array(list of tensors)",
        summary="A new array from tensors of one shape; slow, element by element of the list.",
        call=Call(names=("numpy.array",), in_sequence=True),
        examples=("np.array([x, x])",),
        layout=Layout.CONTIGUOUS,
    ),
    Operation(
        name="numpy.add(tensor)",
        summary="NumPy computes, off the graph, and hands the result back as a tensor.",
        call=Call(names=("numpy.add", "numpy.sqrt", "numpy.exp", "numpy.multiply")),
        examples=("np.add(x, 0)",),
        memory=Memory.COPIES,
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        dtype=Dtype.PROMOTED,
        layout=Layout.PRESERVED,
        version=Version.SEPARATE,
        subclass=Subclass.KEEPS,
        rejects=(
            *TO_ARRAY,
            Rejection(code="np.mean(torch.arange(3.0))", error="TypeError", text="mean()"),
            Rejection(code="np.sum(torch.arange(3.0))", error="TypeError", text="sum()"),
            Rejection(code="np.max(torch.arange(3.0))", error="TypeError", text="max()"),
        ),
    ),
    _python(
        name="torch.Tensor.tolist",
        summary="Nested lists of Python numbers, off the graph; a number for a 0-d tensor.",
        call=method("tolist"),
        examples=("x.tolist()",),
        result=Kind.NUMBERS,
        silently_wrong=(
            Wrong(
                code="torch.jit.trace(lambda a: a + a.tolist()[0], torch.ones(1))(torch.zeros(1)).item()",
                gives="1.0",
                wanted="0.0",
                why="a trace keeps the value it saw as a constant",
            ),
        ),
    ),
    _python(
        name="torch.Tensor.item",
        summary="The one element as a Python number, off the graph; on an accelerator it waits for the result.",
        call=method("item"),
        examples=("x.item()",),
        result=Kind.SCALAR,
        rejects=(_ONE_ELEMENT,),
        silently_wrong=(
            Wrong(
                code="torch.jit.trace(lambda a: a + a.item(), torch.ones(1))(torch.zeros(1)).item()",
                gives="1.0",
                wanted="0.0",
                why="a trace keeps the value it saw as a constant",
            ),
        ),
    ),
    _python(
        name="float(tensor)",
        summary="The one element as a Python number, off the graph.",
        call=Call(names=("float", "int", "bool", "torch.Tensor.__float__", "torch.Tensor.__int__")),
        examples=("float(x)", "int(x)"),
        result=Kind.SCALAR,
        rejects=(
            Rejection(
                given=Trait.NOT_ONE_ELEMENT,
                error="ValueError",
                text="only one element tensors can be converted to Python scalars",
            ),
        ),
        warns=(
            Warns(
                code="float(torch.ones((), requires_grad=True))",
                text="Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior",
                once=True,
                since="torch 2.8",
            ),
        ),
    ),
    _python(
        name="bytes(torch.Tensor.untyped_storage())",
        summary="A copy of the whole storage as bytes; hundreds of times slower than numpy().tobytes().",
        call=chain("torch.Tensor.untyped_storage", "bytes"),
        examples=("bytes(x.untyped_storage())",),
        result=Kind.BUFFER,
        dtype=Dtype.NOT_APPLICABLE,
    ),
)
