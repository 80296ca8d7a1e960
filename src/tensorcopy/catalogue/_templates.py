"""The usual sets of facts, so that an entry states only what is its own. Every fact of a template can be overridden."""

from __future__ import annotations

from functools import partial

from .model import (
    Argument,
    Call,
    Device,
    Dtype,
    Graph,
    Kind,
    Layout,
    Memory,
    Operation,
    RequiresGrad,
    ReturnsSelf,
    Style,
    Subclass,
    Value,
    Version,
)

view = partial(
    Operation,
    memory=Memory.SHARES,
    graph=Graph.KEEPS,
    requires_grad=RequiresGrad.SAME,
    layout=Layout.DERIVED,
    version=Version.SHARED,
    subclass=Subclass.KEEPS,
)
kept_copy = partial(
    Operation,
    memory=Memory.COPIES,
    graph=Graph.KEEPS,
    requires_grad=RequiresGrad.SAME,
    layout=Layout.PRESERVED,
    version=Version.SEPARATE,
    subclass=Subclass.KEEPS,
)
cut_copy = partial(
    Operation,
    memory=Memory.COPIES,
    graph=Graph.CUTS,
    requires_grad=RequiresGrad.NO,
    layout=Layout.PRESERVED,
    version=Version.SEPARATE,
    subclass=Subclass.KEEPS,
)
self_or_copy = partial(
    Operation,
    memory=Memory.DEPENDS,
    graph=Graph.KEEPS,
    requires_grad=RequiresGrad.SAME,
    layout=Layout.PRESERVED,
    version=Version.WITH_MEMORY,
    returns_self=ReturnsSelf.WHEN_SHARING,
    subclass=Subclass.WITH_MEMORY,
)
in_place = partial(
    Operation,
    memory=Memory.SHARES,
    graph=Graph.KEEPS,
    requires_grad=RequiresGrad.SAME,
    layout=Layout.SAME,
    version=Version.SHARED,
    returns_self=ReturnsSelf.ALWAYS,
    subclass=Subclass.SAME,
)
into_tensor = partial(
    Operation,
    memory=Memory.COPIES,
    graph=Graph.KEEPS,
    requires_grad=RequiresGrad.SAME,
    dtype=Dtype.TARGET,
    device=Device.TARGET,
    layout=Layout.TARGET,
    version=Version.SEPARATE,
    subclass=Subclass.TARGET,
)
tensor_to_array = partial(
    Operation,
    result=Kind.ARRAY,
    memory=Memory.SHARES,
    graph=Graph.CUTS,
    device=Device.HOST,
    layout=Layout.SAME,
    subclass=Subclass.DROPS,
)
array_to_tensor = partial(
    Operation,
    source=Kind.ARRAY,
    memory=Memory.SHARES,
    requires_grad=RequiresGrad.NO,
    device=Device.HOST,
    layout=Layout.SAME,
    subclass=Subclass.DROPS,
)
array_view = partial(
    Operation,
    source=Kind.ARRAY,
    result=Kind.ARRAY,
    memory=Memory.SHARES,
    device=Device.HOST,
    layout=Layout.DERIVED,
    subclass=Subclass.KEEPS,
)
array_copy = partial(
    Operation,
    source=Kind.ARRAY,
    result=Kind.ARRAY,
    memory=Memory.COPIES,
    device=Device.HOST,
    layout=Layout.PRESERVED,
    subclass=Subclass.KEEPS,
)
array_in_place = partial(
    Operation,
    probe="x",
    source=Kind.ARRAY,
    result=Kind.NOTHING,
    memory=Memory.SHARES,
    device=Device.HOST,
    layout=Layout.SAME,
    returns_self=ReturnsSelf.ALWAYS,
    subclass=Subclass.KEEPS,
)


def method(name: str) -> Call:
    """A method of Tensor that has no function of the same name."""
    return Call(names=(f"torch.Tensor.{name}",))


def both(name: str) -> Call:
    """A method of Tensor that is also a function of torch."""
    return Call(names=(f"torch.Tensor.{name}", f"torch.{name}"))


def where(**values: Value) -> tuple[Argument, ...]:
    """Conditions on arguments, by parameter name."""
    return tuple(Argument(name=name, value=value) for name, value in values.items())


def chain(*steps: str) -> Call:
    """Several calls, one after the other."""
    return Call(style=Style.CHAIN, steps=steps)


def numpy(name: str) -> Call:
    """A function of numpy."""
    return Call(names=(f"numpy.{name}",))


def array_method(name: str) -> Call:
    """A method of ndarray that has no function of the same name."""
    return Call(names=(f"numpy.ndarray.{name}",))


def array_both(name: str) -> Call:
    """A method of ndarray that is also a function of numpy."""
    return Call(names=(f"numpy.ndarray.{name}", f"numpy.{name}"))
