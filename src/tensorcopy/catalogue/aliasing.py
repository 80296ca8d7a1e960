"""Calls that give another tensor, or another handle, over the very same memory."""

from __future__ import annotations

from functools import partial

from ._refusals import INTEGER_GRADIENT
from ._surprises import unseen_write
from ._templates import both, method, view, where
from .model import (
    Call,
    Crash,
    Dtype,
    Graph,
    Kind,
    Layout,
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

_alias = partial(view, layout=Layout.SAME)
_cut_alias = partial(view, layout=Layout.SAME, graph=Graph.CUTS, requires_grad=RequiresGrad.NO)


OPERATIONS = (
    _cut_alias(
        name="torch.Tensor.detach",
        summary="The same memory off the graph; autograd still counts writes through it.",
        call=both("detach"),
        examples=("x.detach()", "torch.detach(x)"),
        rejects=(
            Rejection(
                code="a = torch.ones(1, requires_grad=True); b = a.exp()\nb.detach().zero_()\nb.sum().backward()",
                error="RuntimeError",
                text="one of the variables needed for gradient computation has been modified by an inplace operation",
            ),
        ),
        aten="detach",
    ),
    _cut_alias(
        name="torch.Tensor.detach_",
        summary="Takes the tensor itself off the graph.",
        call=both("detach_"),
        examples=("x.detach_()",),
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
        changes_object=True,
        rejects=(Rejection(given=Trait.VIEW, error="RuntimeError", text="Can't detach views in-place"),),
    ),
    _cut_alias(
        name="torch.Tensor.data",
        summary="The same memory off the graph, hidden from autograd: it does not count writes through it.",
        call=Call(names=("torch.Tensor.data",), style=Style.ATTRIBUTE),
        examples=("x.data",),
        version=Version.SEPARATE,
        rejects=(
            Rejection(
                code="torch.vmap(lambda a: a.data)(torch.ones(2))",
                error="RuntimeError",
                text="accessing `data` under vmap transform is not allowed",
            ),
        ),
        silently_wrong=(unseen_write("b.data.zero_()"),),
    ),
    _cut_alias(
        name="torch.Tensor.data = tensor",
        summary="Lays an existing tensor over the memory of another one, hidden from autograd.",
        call=Call(names=("torch.Tensor.data",), style=Style.ASSIGNMENT, source=1),
        examples=("dst.data = x\ndst",),
        setup="dst = torch.empty(0, dtype=x.dtype)",
        version=Version.SEPARATE,
        subclass=Subclass.DROPS,
        changes_object=True,
        crashes=(
            Crash(
                code="parts = [torch.ones(2), torch.ones(3)]; p = torch.ones(2)\n"
                "p.data = torch.nested.nested_tensor(parts, layout=torch.jagged)\np.clone()",
                ends=("SIGSEGV",),
                why="a plain tensor is laid over a nested one that it is none of",
                since="torch 2.3",
            ),
        ),
    ),
    _cut_alias(
        name="torch.Tensor.set_(tensor)",
        summary="Makes the receiver look at the memory of the source.",
        call=Call(names=("torch.Tensor.set_",), when=where(source=Value.TENSOR), source=1),
        examples=("dst.set_(x)",),
        setup="dst = torch.empty(0, dtype=x.dtype)",
        requires_grad=RequiresGrad.SAME,
        version=Version.SEPARATE,
        subclass=Subclass.DROPS,
        changes_object=True,
        rejects=(
            Rejection(
                code="a = torch.ones(1, requires_grad=True)\ntorch.empty(0).set_(a).sum().backward()",
                error="RuntimeError",
                text="derivative for set_ is not implemented",
            ),
        ),
        silently_wrong=(
            unseen_write("torch.empty(0).set_(b.detach()).zero_()"),
            Wrong(
                code="torch.empty(0, dtype=torch.complex64).set_(torch.tensor([1 + 2j]).conj()).item()",
                gives="1 + 2j",
                wanted="1 - 2j",
                why="the conjugate bit is not taken along",
            ),
        ),
    ),
    _alias(
        name="torch.ops.aten.alias",
        summary="Another tensor over the same memory, on the graph.",
        call=Call(names=("torch.ops.aten.alias",)),
        examples=("torch.ops.aten.alias(x)",),
        aten="alias",
    ),
    _alias(
        name="torch.Tensor.view(same shape)",
        summary="Another tensor over the same memory, on the graph.",
        call=method("view"),
        examples=("x.view(x.shape)",),
        aten="view",
    ),
    _alias(
        name="torch.Tensor.view_as",
        summary="Another tensor over the same memory in the shape of a second one, on the graph.",
        call=method("view_as"),
        examples=("x.view_as(x)",),
        aten="view_as",
    ),
    _alias(
        name="torch.Tensor.expand(same shape)",
        summary="Another tensor over the same memory: expanding to the shape it has repeats nothing.",
        call=method("expand"),
        examples=("x.expand(x.shape)",),
        aten="expand",
    ),
    _alias(
        name="torch.Tensor.as_subclass",
        summary="The same memory under another class, on the graph.",
        call=method("as_subclass"),
        examples=("x.as_subclass(torch.Tensor)",),
        subclass=Subclass.DROPS,
    ),
    _alias(
        name="torch.Tensor.new(tensor)",
        summary="Not a new tensor: an alias that stays on the graph.",
        call=Call(names=("torch.Tensor.new",), when=where(other=Value.TENSOR), source=1),
        examples=("x.new(x)",),
        rejects=(Rejection(given=Trait.LAZY_BIT, error="RuntimeError", text="doesn't correspond to a device"),),
    ),
    _cut_alias(
        name="torch.Tensor.requires_grad_(False)",
        summary="Switches requires_grad off on the tensor itself.",
        call=Call(names=("torch.Tensor.requires_grad_",), when=where(requires_grad=Value.FALSE)),
        examples=("x.requires_grad_(False)",),
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
        changes_object=True,
        rejects=(
            Rejection(
                given=Trait.NON_LEAF,
                error="RuntimeError",
                text="you can only change requires_grad flags of leaf variables",
            ),
        ),
    ),
    _alias(
        name="torch.Tensor.requires_grad_",
        summary="Makes the tensor itself a leaf that requires grad.",
        call=method("requires_grad_"),
        examples=("x.requires_grad_()",),
        requires_grad=RequiresGrad.YES,
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
        changes_object=True,
        rejects=(
            Rejection(
                given=Trait.NOT_FLOATING,
                error="RuntimeError",
                text="only Tensors of floating point dtype can require gradients",
            ),
        ),
    ),
    _cut_alias(
        name="torch.nn.Parameter",
        summary="A new leaf over the same memory; what came before is cut off.",
        call=Call(names=("torch.nn.Parameter", "torch.nn.parameter.Parameter")),
        examples=("nn.Parameter(x)",),
        requires_grad=RequiresGrad.YES,
        subclass=Subclass.PARAMETER,
        rejects=(INTEGER_GRADIENT,),
    ),
    _cut_alias(
        name="torch.nn.Parameter(requires_grad=False)",
        summary="A Parameter over the same memory that is not trained.",
        call=Call(names=("torch.nn.Parameter", "torch.nn.parameter.Parameter"), when=where(requires_grad=Value.FALSE)),
        examples=("nn.Parameter(x, requires_grad=False)",),
        subclass=Subclass.PARAMETER,
    ),
    _cut_alias(
        name="torch.nn.Buffer",
        summary="A buffer over the same memory, off the graph; it requires grad if the source did.",
        call=Call(names=("torch.nn.Buffer", "torch.nn.parameter.Buffer")),
        examples=("nn.Buffer(x)",),
        requires_grad=RequiresGrad.SAME,
        since="torch 2.5",
    ),
    _alias(
        name="torch.Tensor(tensor)",
        summary="An alias, not a conversion: dtype, memory and graph stay.",
        call=Call(names=("torch.Tensor",)),
        examples=("torch.Tensor(x)",),
        subclass=Subclass.DROPS,
        silently_wrong=(
            Wrong(
                code="torch.Tensor(torch.tensor([1, 2])).dtype",
                gives="torch.int64",
                wanted="torch.float32",
                why="a tensor argument is aliased as it is, whatever its dtype",
            ),
            Wrong(
                code="torch.Tensor(torch.tensor(3)).dtype, tuple(torch.Tensor(torch.tensor(3)).shape)",
                gives="(torch.int64, ())",
                wanted="(torch.float32, (3,))",
                why="a 0-d tensor is aliased where an integer would be taken as a size",
            ),
        ),
    ),
    _alias(
        name="torch.FloatTensor(tensor)",
        summary="An alias of a float32 tensor, on the graph; any other dtype is refused.",
        call=Call(names=("torch.FloatTensor",)),
        examples=("torch.FloatTensor(x)",),
        dtype=Dtype.FIXED,
        dtype_name="torch.float32",
        subclass=Subclass.DROPS,
        rejects=(Rejection(given=Trait.OTHER_DTYPE, error="TypeError", text="expected TensorOptions(dtype=float"),),
    ),
    view(
        name="torch.Tensor.untyped_storage",
        summary="The storage behind the tensor: raw bytes, without offset, shape, dtype or graph.",
        call=method("untyped_storage"),
        examples=("x.untyped_storage()",),
        result=Kind.STORAGE,
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NOT_APPLICABLE,
        dtype=Dtype.NOT_APPLICABLE,
        layout=Layout.NOT_APPLICABLE,
        version=Version.NOT_APPLICABLE,
        subclass=Subclass.NOT_APPLICABLE,
    ),
    _cut_alias(
        name="torch.Tensor.set_(storage)",
        summary="Lays the receiver over a storage, with offset, shape and strides of the caller's choice.",
        call=Call(names=("torch.Tensor.set_",), source=1),
        examples=("dst.set_(x.untyped_storage(), x.storage_offset(), x.shape, x.stride())",),
        setup="dst = torch.empty(0, dtype=x.dtype)",
        version=Version.SEPARATE,
        subclass=Subclass.DROPS,
        changes_object=True,
    ),
    _cut_alias(
        name="torch.utils.swap_tensors",
        summary="Exchanges everything of two tensors but their identity.",
        call=Call(names=("torch.utils.swap_tensors",)),
        examples=("torch.utils.swap_tensors(left, dst)\ndst",),
        setup="dst = torch.empty(0, dtype=x.dtype)\nleft = x.detach()",
        version=Version.SHARED,
        subclass=Subclass.KEEPS,
        changes_object=True,
        rejects=(
            Rejection(
                code="import weakref\nt = torch.ones(2); w = weakref.ref(t)\n"
                "torch.utils.swap_tensors(t, torch.ones(2))",
                error="RuntimeError",
                text="Cannot swap t1 because it has weakref associated with it",
            ),
        ),
        since="torch 2.3",
    ),
    _alias(
        name="torch.Tensor.resize_",
        summary="Changes the receiver's shape over the same storage; gets new memory for more elements where it may.",
        call=method("resize_"),
        examples=("x.resize_(x.shape)",),
        graph=Graph.CUTS,
        requires_grad=RequiresGrad.NO,
        returns_self=ReturnsSelf.ALWAYS,
        subclass=Subclass.SAME,
        changes_object=True,
        rejects=(
            Rejection(
                given=Trait.REQUIRES_GRAD, error="RuntimeError", text="cannot resize variables that require grad"
            ),
            Rejection(
                code="torch.from_numpy(np.ones(3)).resize_(100)",
                error="RuntimeError",
                text="Trying to resize storage that is not resizable",
            ),
            Rejection(
                code="t = torch.ones(3); a = t.numpy(); t.resize_(100)",
                error="RuntimeError",
                text="Trying to resize storage that is not resizable",
            ),
        ),
        crashes=(
            Crash(
                code="torch.ones(3).share_memory_().resize_(100).fill_(1.0)",
                ends=("SIGSEGV", "SIGBUS"),
                why="the storage in shared memory says that it can grow and cannot",
                since="torch 2.2",
            ),
        ),
    ),
)
