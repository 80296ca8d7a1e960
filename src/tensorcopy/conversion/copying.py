"""The verb `copy`: an object of the same kind that owns its memory and shares with nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from ..errors import BadArgumentError, note_source
from ..live import tensors
from ..live.devices import device_of
from ..live.dtypes import DTYPES, ML_DTYPES, name_of
from ..live.libraries import class_of, is_ndarray, is_tensor, load, loaded
from ..live.tensors import FAR, is_address
from .allocation import ADVISE_FROM
from .casting import require_casting
from .copy_planner import plan_copying
from .leaves import SMALL, attributes_of, copy_leaf, copy_symbolic, refuse_for_array
from .nests import copy_dressed, copy_nest
from .overwriting import write_into
from .plan import Plan, Request
from .roles import is_leaf

_plain_tensor: Any = None
_plain_array: Any = None
_plain_dtypes: frozenset[Any] = frozenset()
"""What the fast path compares with: ``torch.Tensor``, ``numpy.ndarray`` and its dtypes of numbers, once they are there.
"""
_forward: Any = None
_transform: Any = None
_is_compiling: Any = None
"""Whom it asks for followers of a tensor that requires no grad: the module that has the level of forward-mode
differentiation, what gives the level of ``torch.func``, and what tells of ``torch.compile``."""

T = TypeVar("T")
Verb = TypeVar("Verb", bound=Callable[..., Any])


def _with_fast_path(verb: Verb) -> Verb:
    """*verb*, but a small plain tensor or array without options is copied before any of them is looked at."""

    @wraps(verb)
    def copy(x: Any, **options: Any) -> Any:
        if not options:
            if type(x) is _plain_tensor and x.numel() < SMALL:
                if _forward._current_level >= 0 or _transform() is not None or _is_compiling():
                    return x.detach().clone()
                try:
                    address = x.data_ptr()
                except RuntimeError:  # of a layout that has none
                    address = 0
                if address >= FAR or (address and is_address(x, address)):
                    return x.detach().clone() if x.requires_grad else x.clone()
            if type(x) is _plain_array and x.dtype in _plain_dtypes and x.nbytes < ADVISE_FROM:
                return x.copy("K")
        return verb(x, **options)

    return cast(Verb, copy)


@_with_fast_path
def copy(
    x: T,
    *,
    detach: bool = True,
    dtype: Any = None,
    device: Any = None,
    memory_format: Any = None,
    requires_grad: bool | None = None,
    out: Any = None,
    casting: str = "checked",
    flat: bool = False,
) -> T:
    """An object of the same kind as *x* that owns its memory: copies, and cuts the graph unless ``detach=False``.

    Takes tensors, NumPy arrays and any nest of dict, list, tuple, named tuple, set, deque, dataclass and their
    subclasses (a ``state_dict``, a batch), 10,000 levels deep if need be. What is one object in the nest is one
    object in the copy; tensors and arrays that share memory inside the nest share it in the copy too; cycles stay
    cycles. Python's immutable values are kept as they are. DataFrames, images and buffers make their own copies;
    Arrow and JAX data, which cannot be written, are kept.

    Kept: values, shape, dtype, byte order, device, the order of dense strides (an expanded or gapped tensor becomes
    dense), the class and instance attributes of a subclass, masks, ``Parameter`` with its ``requires_grad``. Not
    kept: ``.grad``, hooks, attributes of plain tensors, shared, pinned or memory-mapped memory, read-only flags,
    forward-mode tangents unless ``detach=False``, the unused rest of a larger storage; conjugate and negative
    bits are resolved into values.

    Members that overlap without being the same view lie in one block in the copy, from their first byte to their
    last, with strides and bits as they are. Such members go apart, each with a copy of its own, where the copies stay
    on the graph, where a change of dtype meets members of different types, and where tensors that share with arrays
    leave the CPU.

    Args:
        x: What to copy. It is never changed.
        detach: False keeps the copy on the graph of *x*, as ``clone`` does; a ``Parameter`` then becomes a tensor.
        dtype: Element type of the copy, converted in the same pass. In a nest it concerns floating tensors and
            arrays, and complex ones if it is complex; integers and bools keep theirs.
        device: Device of the copy; in a nest, of its tensors.
        memory_format: Layout of the copy, as in ``torch.clone``; None preserves the order of strides. In a nest,
            ``channels_last`` concerns tensors of four dimensions.
        requires_grad: Whether the copy records gradients as a new leaf; None means no (a ``Parameter`` keeps its own).
        out: Tensor, array or nest of the same structure and shapes to write the copy into; it is what is returned. Its
            tensors keep their dtype and device. All is checked before anything is written.
        casting: As for `to_torch`. On ``meta``, under ``torch.compile`` and inside ``vmap`` values cannot be looked at.
        flat: Put the strided tensors of a nest into one buffer for each dtype, which is faster for many large ones.
            Each then keeps all of them alive, and ``torch.save`` of one writes all.

    Raises:
        UnsupportedSourceError: *x*, or a member of the nest, is nothing that can be copied; names its path.
        NestError: a cycle runs through immutable containers only, or *out* is built differently.
        LossyConversionError: a value would change.

    Example:
        >>> import torch, tensorcopy as tc
        >>> x = torch.ones(2, requires_grad=True)
        >>> tc.copy(x)
        tensor([1., 1.])
        >>> best = tc.copy({"weight": x, "steps": [1, 2]})
        >>> best["weight"].data_ptr() == x.data_ptr()
        False
    """
    request = _request(detach, dtype, device, memory_format, requires_grad, casting)
    try:
        copied: T = _copy_slowly(x, request, flat) if out is None else write_into(out, x, request)
    except Exception as error:
        note_source(error, "copied", x)
        raise
    return copied


def _request(
    detach: bool, dtype: Any, device: Any, memory_format: Any, requires_grad: bool | None, casting: str
) -> Request:
    if requires_grad is False and not detach:
        raise BadArgumentError(
            "detach=False contradicts requires_grad=False",
            why="a copy on the graph records gradients",
            fix="drop one of the two",
        )
    return Request(
        to="same",
        copy=True,
        dtype=None if dtype is None else name_of(dtype),
        device=None if device is None else device_of(device),
        detach=detach,
        requires_grad=requires_grad,
        memory_format=None if str(memory_format) == "torch.preserve_format" else memory_format,
        casting=require_casting(casting),
    )


def _copy_slowly(x: Any, request: Request, flat: bool) -> Any:
    if _plain_tensor is None:
        _learn_torch()
    if _plain_array is None:
        _learn_numpy()
    if _plain_tensor is not None and tensors.is_capturing():
        if is_tensor(x):
            return copy_symbolic(x, request)
        # Identities and addresses mean nothing to the tracer, so a nest is copied between two graphs.
        return load("torch").compiler.disable(copy_nest)(x, request, flat=flat)
    if not is_leaf(x):
        return copy_nest(x, request, flat=flat)
    if is_ndarray(x):
        refuse_for_array(request)
    return copy_leaf(x, request) if attributes_of(x) is None else copy_dressed(x, request)


def _learn_torch() -> None:
    """Remember the class that the fast path compares with, and whom it asks."""
    global _plain_tensor, _forward, _transform, _is_compiling
    if loaded("torch") is not None:
        _forward, _transform, _is_compiling = tensors.probes_for_followers()
        _plain_tensor = class_of("torch", "Tensor")


def _learn_numpy() -> None:
    """The same of NumPy. Each dtype is in the machine's byte order, and equal to no other one."""
    global _plain_array, _plain_dtypes
    _plain_array = class_of("numpy", "ndarray")
    if _plain_array is not None:
        from numpy import dtype

        _plain_dtypes = frozenset(dtype(name) for name in DTYPES if name not in ML_DTYPES and name != "complex32")


_learn_torch()


def plan_copy(
    x: Any,
    *,
    detach: bool = True,
    dtype: Any = None,
    device: Any = None,
    memory_format: Any = None,
    requires_grad: bool | None = None,
    out: Any = None,
    casting: str = "checked",
    flat: bool = False,
) -> Plan:
    """The plan that `copy` with these arguments would follow; moves no data. Values are not looked at."""
    request = _request(detach, dtype, device, memory_format, requires_grad, casting)
    return plan_copying(x, request, out, flat)
