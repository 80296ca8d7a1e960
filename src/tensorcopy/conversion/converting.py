"""The conversion verbs: `to_torch`, `to_numpy`, `convert`, `share` and `plan`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..errors import BadArgumentError, note_source
from ..live.devices import device_of
from ..live.dtypes import name_of
from ..live.libraries import is_tensor, load
from ..live.tensors import is_capturing
from . import at_once, stacking, targets
from .carry_out import small_copy
from .casting import require_casting
from .plan import Plan, Request
from .planner import decide, plan_conversion
from .sources import expose

if TYPE_CHECKING:
    import numpy
    import torch


def to_torch(
    obj: Any,
    *,
    copy: bool | None = None,
    dtype: Any = None,
    device: Any = None,
    detach: bool | None = None,
    requires_grad: bool | None = None,
    memory_format: Any = None,
    casting: str = "checked",
    null: Any = None,
    readonly: bool = False,
    pin_memory: bool = False,
    non_blocking: bool = False,
) -> torch.Tensor:
    """A ``torch.Tensor`` with the values of *obj*: shares memory where it may (``copy=None``), keeps the graph.

    Takes tensors, NumPy arrays (also masked, memory-mapped, byte-swapped, reversed, read-only), nested sequences of
    numbers, arrays or tensors, single numbers, buffers, iterators, and pandas, Polars, Arrow, Pillow, JAX, CuPy,
    DLPack and ``__array_interface__`` objects. Shape and element order are the source's; images are height x width x
    channels.

    Args:
        obj: The source. It is never changed; an iterator is used up, and has to end.
        copy: True always copies, False never does and raises `CannotShareError` where it would have to, None copies
        only
            when the memory cannot be shared: another dtype or device, read-only, reversed, byte-swapped, Python
            numbers.
        dtype: Element type of the result, as a torch or NumPy dtype or a name. None keeps the source's; Python floats
            become ``torch.get_default_dtype()``.
        device: Device of the result. None keeps a tensor where it is and puts everything else on the CPU.
        detach: True cuts the graph; otherwise it is kept, also of tensors inside lists.
        requires_grad: Make the result a leaf that does or does not record gradients; None leaves it as it comes.
        memory_format: Layout of the result, as in ``torch.Tensor.to``; None keeps the source's order of strides.
        casting: ``"checked"`` refuses any value that would change, except rounding between floating types;
            ``"same_value"`` refuses that too; ``"unsafe"`` allows everything.
        null: Value for null or masked elements, and for None in a nest, as if it stood there; None refuses them.
        readonly: With True, read-only memory may be shared: you promise not to write the result.
        pin_memory: Put the result into page-locked memory.
        non_blocking: As in ``torch.Tensor.to``.

    Raises:
        UnsupportedSourceError: *obj* has no numeric meaning. RaggedError: a nest is no rectangle.
        LossyConversionError: a value would change. CannotShareError: ``copy=False`` cannot be honoured.

    Example:
        >>> import tensorcopy as tc
        >>> tc.to_torch([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
    """
    if dtype is device is requires_grad is memory_format is null is None and pin_memory is False:
        way = at_once.WAYS.get(type(obj)) if casting == "checked" else None
        found: torch.Tensor | None = None if way is None else way(obj, copy, detach)
        if found is not None:
            return found
    # A tracer cannot follow how a source is recognised, so there the conversion happens between two graphs.
    by_plan: Callable[..., torch.Tensor] = load("torch").compiler.disable(_to_torch) if is_capturing() else _to_torch
    basic = copy, dtype, casting, detach, readonly
    return by_plan(obj, basic, device, requires_grad, memory_format, null, pin_memory, non_blocking)


def _to_torch(
    obj: Any,
    basic: tuple[Any, ...],
    device: Any,
    requires_grad: bool | None,
    memory_format: Any,
    null: Any,
    pin_memory: bool,
    non_blocking: bool,
) -> Any:
    """`to_torch` by its plan; *basic* is what `_asked` takes."""
    request = _asked("torch", *basic)
    if not (device is requires_grad is memory_format is null is None and pin_memory is non_blocking is False):
        request = request._replace(
            device=None if device is None else device_of(device),
            requires_grad=requires_grad,
            memory_format=_plain_format(memory_format),
            null=null,
            pin_memory=pin_memory,
            non_blocking=non_blocking,
        )
    result = _convert(obj, request)
    at_once.learn(type(obj))
    return result


def to_numpy(
    obj: Any,
    *,
    copy: bool | None = None,
    dtype: Any = None,
    detach: bool = False,
    casting: str = "checked",
    null: Any = None,
    readonly: bool = False,
) -> numpy.ndarray[Any, Any]:
    """A ``numpy.ndarray`` with the values of *obj*: shares memory where it may (``copy=None``).

    A tensor that requires grad raises `GraphError` unless ``detach=True``, because NumPy records no gradients. A
    tensor on another device, with a conjugate or negative bit, or with another dtype is copied. bfloat16 and float8
    come out as the dtypes of ml_dtypes. Python floats become float64.

    Args:
        obj, copy, dtype, casting, null: As for `to_torch`.
        detach: Cut the graph on purpose.
        readonly: With True, read-only memory is shared, and the array is marked read-only.

    Example:
        >>> import tensorcopy as tc
        >>> tc.to_numpy([1.5, 2])
        array([1.5, 2. ])
    """
    request = _asked("numpy", copy, dtype, casting, detach, readonly)
    array: numpy.ndarray[Any, Any] = _convert(obj, request if null is None else request._replace(null=null))
    return array


def _asked(to: str, copy: bool | None, dtype: Any, casting: str, detach: bool | None, readonly: bool) -> Request:
    """The request for the arguments that both verbs have; made once for each combination of them."""
    try:
        return _request(to, copy, dtype, casting, detach, readonly)
    except TypeError:
        return _request.__wrapped__(to, copy, dtype, casting, detach, readonly)


@lru_cache(maxsize=256, typed=True)
def _request(to: str, copy: bool | None, dtype: Any, casting: str, detach: bool | None, readonly: bool) -> Request:
    name = None if dtype is None else name_of(dtype)
    return Request(to=to, copy=copy, dtype=name, casting=require_casting(casting), detach=detach, readonly=readonly)


def _plain_format(memory_format: Any) -> Any:
    """None for *preserve*, which is what None means."""
    return None if str(memory_format) == "torch.preserve_format" else memory_format


_COPY = Request(copy=True)
"""A copy and nothing else, for which there is one decision whatever the array."""


def _convert(obj: Any, request: Request) -> Any:
    try:
        exposure = expose(obj, request)
        small = small_copy(exposure) if request == _COPY else None
        return stacking.follow(decide(exposure, request), exposure, request) if small is None else small
    except Exception as error:
        note_source(error, "converted", obj)
        raise


def convert(obj: Any, to: str = "torch", **options: Any) -> Any:
    """*obj* as an array of the library *to*: ``torch``, ``numpy``, ``jax``, ``cupy``, ``arrow``, ``polars`` and more.

    Takes the options of `to_torch` and `to_numpy` and keeps their promises. Which libraries there are is found by
    folder: ``tensorcopy.conversion.targets``.

    Example:
        >>> import tensorcopy as tc
        >>> tc.convert([1, 2, 3], to="numpy")
        array([1, 2, 3])
    """
    if to == "torch":
        return to_torch(obj, **options)
    if to == "numpy":
        return to_numpy(obj, **options)
    library = targets.target(to)
    try:
        return library.build(obj, options)
    except Exception as error:
        note_source(error, "converted", obj)
        raise


def share(x: Any, to: str | None = None, *, readonly: bool = False, detach: bool | None = None) -> Any:
    """The memory of *x* seen by the library *to*: never copies, or says why it cannot be and what to do.

    A write through either side shows on the other. Keeps the graph between tensors; a tensor that requires grad needs
    ``detach=True`` on its way to NumPy. The result keeps the memory alive and, for a ``bytearray``, locks its size.

    Args:
        x: Array, tensor, buffer, column or anything that `to_torch` takes.
        to: Library to see it in; None means NumPy for a tensor and torch for everything else.
        readonly: Read-only memory (bytes, read-only arrays and memory maps, Arrow, pandas, JAX) is refused, because
            torch would write it all the same. True shares it: you promise not to write. A NumPy result is marked
            read-only.
        detach: Cut the graph on purpose.

    Raises:
        CannotShareError: the bytes cannot be the result's, with the reason. ReadOnlyMemoryError: see *readonly*.
        GraphError: the graph would be cut.

    Example:
        >>> import numpy, tensorcopy as tc
        >>> a = numpy.zeros(2)
        >>> tc.share(a)[0] = 7
        >>> a
        array([7., 0.])
    """
    target = to or ("numpy" if is_tensor(x) else "torch")
    return convert(x, target, copy=False, readonly=readonly, **({} if detach is None else {"detach": detach}))


def plan_to(obj: Any, to: str, **options: Any) -> Plan:
    """The plan that `convert` with these arguments would follow; moves no data."""
    if to not in ("torch", "numpy"):
        found: Plan = targets.target(to).plan(obj, options)
        return found
    known = dict(options)
    if known.get("dtype") is not None:
        known["dtype"] = name_of(known["dtype"])
    if "memory_format" in known:
        known["memory_format"] = _plain_format(known["memory_format"])
    if known.get("device") is not None:
        known["device"] = device_of(known["device"])
    require_casting(known.get("casting", "checked"))
    request = Request(to=to, **_only_known(known))
    return plan_conversion(expose(obj, request), request)


def _only_known(options: dict[str, Any]) -> dict[str, Any]:
    known = set(Request._fields) - {"to", "depth"}
    strange = sorted(set(options) - known)
    if strange:
        raise BadArgumentError(
            f"unknown option {strange[0]!r}",
            why="a plan takes the arguments of the call that it plans",
            fix="pass one of " + ", ".join(sorted(known)),
        )
    return options
