"""What a torch tensor's memory and graph allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

from .libraries import class_of, load, loaded

FAR = 1 << 40
"""An address from here on is one of memory. A smaller one may be an offset into a storage that was freed."""


def on_graph(tensor: Any) -> bool:
    """Whether a gradient recorded now could reach *tensor* (it requires one)."""
    return bool(tensor.requires_grad)


def made_by(tensor: Any) -> str:
    """``leaf``, or the name of the function that made *tensor*, like ``MulBackward0``."""
    return "leaf" if tensor.is_leaf else str(tensor.grad_fn.name())


def is_dense_cpu(tensor: Any) -> bool:
    """Whether *tensor* is strided CPU memory with an address: not sparse, nested, quantized, meta or fake."""
    torch = load("torch")
    return bool(
        tensor.layout is torch.strided
        and tensor.is_cpu
        and not tensor.is_quantized
        and not getattr(tensor, "is_nested", False)
        and has_address(tensor)
    )


def has_plain_memory(tensor: Any) -> bool:
    """As `is_dense_cpu`, and quicker; False also for every subclass."""
    torch = load("torch")
    return bool(
        type(tensor) is torch.Tensor
        and tensor.is_cpu
        and tensor.layout is torch.strided
        and not tensor.is_quantized
        and not tensor.is_nested
        and not is_transformed(tensor)
    )


def is_lazy(tensor: Any) -> bool:
    """Whether *tensor* is a parameter or buffer of a lazy module, without a shape yet."""
    return hasattr(type(tensor), "materialize") and bool(load("torch").nn.parameter.is_lazy(tensor))


def is_freed(tensor: Any) -> bool:
    """Whether the storage of a CPU *tensor* was emptied or cut short under it, as sharded training does it."""
    if not tensor.is_cpu or is_wrapper(tensor) or is_lazy(tensor):
        return False
    try:
        if not tensor.numel():
            return False
        held = tensor.untyped_storage().nbytes()
        return bool(held == 0 or (not tensor.is_quantized and held < _end_of(tensor)))
    except (RuntimeError, NotImplementedError):
        return False  # it has no storage of its own


def _end_of(tensor: Any) -> int:
    """The bytes from the start of its storage to the end of the last element of a strided *tensor*."""
    if tensor.is_contiguous():
        return int(tensor.storage_offset() * tensor.element_size() + tensor.nbytes)
    steps = sum([(size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True)])
    return int((tensor.storage_offset() + steps + 1) * tensor.element_size())


def has_address(tensor: Any) -> bool:
    """Whether the bytes of *tensor* can be pointed at; not so under vmap or in a fake tensor."""
    if is_transformed(tensor) or is_wrapper(tensor) or is_lazy(tensor):
        return False
    try:
        return is_address(tensor, tensor.data_ptr())
    except RuntimeError:
        return False


def is_address(tensor: Any, address: int) -> bool:
    """Whether *address*, which torch gives for *tensor*, is one of memory: in a freed storage it is just the offset."""
    if address >= FAR or tensor.numel() == 0:
        return True
    return bool(address != 0 and address != tensor.storage_offset() * tensor.element_size())


def are_addresses(found: Sequence[Any], addresses: Sequence[int]) -> bool:
    """As `is_address` for several, each with the tensor beside it."""
    return min(addresses, default=FAR) >= FAR or all(map(is_address, found, addresses))


def is_wrapper(tensor: Any) -> bool:
    """Whether *tensor* is a subclass that keeps its data in other tensors (a fake, DTensor, quantized wrapper …)."""
    cls = type(tensor)
    if cls is class_of("torch", "Tensor"):
        return False
    return hasattr(cls, "__tensor_flatten__") or cls.__name__ == "FakeTensor"


def is_transformed(tensor: Any) -> bool:
    """Whether *tensor* is a stand-in made by vmap, grad or another function transform of ``torch.func``."""
    return bool(_probe_for_transforms()(tensor))


@cache
def _probe_for_transforms() -> Callable[[Any], Any]:
    functorch = getattr(load("torch")._C, "_functorch", None)
    return getattr(functorch, "is_functorch_wrapped_tensor", lambda tensor: False)


def has_visible_values(tensor: Any) -> bool:
    """Whether the values may be looked at, to check that a change of dtype keeps them."""
    hidden = tensor.device.type == "meta" or is_wrapper(tensor) or is_transformed(tensor) or is_capturing()
    return not hidden


def is_capturing() -> bool:
    """Whether ``torch.compile`` or a tracer is recording, so that only torch's own calls may be used."""
    return bool(load("torch").compiler.is_compiling() or is_recording())


def is_compiling() -> bool:
    """Whether ``torch.compile`` follows what is called now."""
    return load("torch").compiler.is_compiling() is True


def is_recording() -> bool:
    """Whether ``torch.jit.trace``, ``make_fx`` or ``torch.export`` records, and would take values as constants."""
    if loaded("torch") is None:
        return False
    tracing, modes, early_modes = _probes_for_recording()
    if tracing() is not None:
        return True
    if not modes() and not early_modes():
        return False
    mode = getattr(loaded("torch.fx.experimental.proxy_tensor"), "get_proxy_mode", None)
    return mode is not None and mode() is not None


@cache
def _probes_for_recording() -> tuple[Callable[[], Any], Callable[[], int], Callable[[], bool]]:
    """What the tracer of ``torch.jit`` records into, and whether modes see the calls, late or early ones."""
    private = load("torch")._C
    early = partial(private._dispatch_tls_is_dispatch_key_included, private.DispatchKey.PreDispatch)
    return private._get_tracing_state, private._len_torch_dispatch_stack, early


def is_watched() -> bool:
    """Whether a tracer or a mode may change what a call of torch gives, or has to hear of it."""
    traced, modes, function_modes = _probes_for_watching()
    return traced() is not None or modes() != 0 or function_modes() != 0


@cache
def _probes_for_watching() -> tuple[Callable[[], Any], Callable[[], int], Callable[[], int]]:
    private = load("torch")._C
    found = [getattr(private, name, None) for name in WATCHERS]
    return tuple(found) if None not in found else (lambda: True, int, int)  # type: ignore[return-value]


WATCHERS = ("_get_tracing_state", "_len_torch_dispatch_stack", "_len_torch_function_stack")
"""What torch says of tracers and of modes; a torch without them counts as watched."""


def probes_for_followers() -> tuple[Any, Callable[[], Any], Callable[[], bool]]:
    """What tells whether forward-mode differentiation, a transform of ``torch.func`` or ``torch.compile`` is at work.

    Then a tensor may be a stand-in, and one that requires no grad may have derivatives all the same. A module whose
    ``_current_level`` is negative where there is none; what gives None; what gives False.
    """
    torch = load("torch")
    forward: Any = getattr(torch.autograd, "forward_ad", None)
    level = getattr(getattr(torch._C, "_functorch", None), "maybe_current_level", None)
    if level is None or not hasattr(forward, "_current_level"):
        return SimpleNamespace(_current_level=0), int, bool  # always, as this torch does not tell
    return forward, level, torch.compiler.is_compiling


def may_have_tangents() -> bool:
    """Whether a level of forward-mode differentiation is open, in which tensors carry tangents beside their values."""
    return getattr(getattr(load("torch").autograd, "forward_ad", None), "_current_level", -1) >= 0


def is_without_memory() -> bool:
    """Whether writing into the memory of a tensor made now means nothing: calls are recorded, or tensors are fake."""
    if is_recording():
        return True
    if loaded("torch._subclasses") is None or not _probes_for_recording()[1]():
        return False
    private = load("torch")._C
    return private._get_dispatch_mode(private._TorchDispatchModeKey.FAKE) is not None


@contextmanager
def unrecorded() -> Iterator[None]:
    """Run without what `is_without_memory` tells of. Tensors made meanwhile are to go through `as_constant`."""
    torch = load("torch")
    tracing = torch._C._get_tracing_state()
    torch._C._set_tracing_state(None)
    try:
        with load("torch.utils._python_dispatch")._disable_current_modes():
            yield
    finally:
        torch._C._set_tracing_state(tracing)


def as_constant(tensor: Any) -> Any:
    """*tensor*, as what is recorded knows it: a constant with these values, as ``torch.tensor`` makes one."""
    return load("torch").ops.aten.lift_fresh(tensor)


def why_not_array_memory(tensor: Any) -> str:
    """Why no NumPy array can lie on the memory of *tensor* (its graph left aside); empty when one can."""
    if tensor.device.type != "cpu":
        return f"it lies on device {tensor.device}, and NumPy addresses the CPU only"
    if not is_dense_cpu(tensor):
        return f"its layout is {layout_name(tensor)}, which is not one strided block of memory"
    if tensor.is_conj():
        return "its conjugate bit is set, so the bytes in memory are not its values"
    if tensor.is_neg():
        return "its negative bit is set, so the bytes in memory are not its values"
    return ""


def layout_name(tensor: Any) -> str:
    """The layout in a word or two: ``strided``, ``sparse_coo``, ``nested``, ``quantized`` and so on."""
    if tensor.is_quantized:
        return "quantized"
    if getattr(tensor, "is_nested", False):
        return "nested"
    if is_wrapper(tensor):
        return f"{type(tensor).__name__} (a wrapper of other tensors)"
    if is_transformed(tensor):
        return "that of a function transform"
    return str(tensor.layout).rpartition(".")[2]
