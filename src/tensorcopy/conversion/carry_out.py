"""Do what a plan says: the only module that moves data for a single array, tensor or nest of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import BadArgumentError, LossyConversionError, UnsupportedDtypeError
from ..live import arrays, tensors
from ..live.dtypes import DTYPES, default_float, name_of_numpy, name_of_torch, numpy_dtype, torch_dtype
from ..live.libraries import load, loaded
from . import allocation, kernels, reading
from .assembling import Trail, assemble_array, assemble_tensor, named
from .casting import can_lose
from .filling import Where, fill_array, fill_tensor_from_array, part_for
from .filling import fill_tensor as fill_tensor
from .filling import refuse_loss as refuse_loss
from .freed import require_memory, require_whole
from .number_kinds import KINDS, READABLE, result_dtype
from .plan import Decision, Exposure, Plan, Request


def carry_out(plan: Plan | Decision, exposure: Exposure, request: Request) -> Any:
    """The result of *plan*. Raises `LossyConversionError` before anything is returned if a value would change.

    A nest read as numbers that turns out to hold something else gives the `reading.ForeignLeaf` instead.
    """
    route = _ROUTES[plan.route, request.to]
    if exposure.form == "tensor" or request.to != "torch" or not tensors.is_without_memory():
        result = route(exposure, request)
    else:
        result = _as_constant(route, exposure, request)
    return result if isinstance(result, reading.ForeignLeaf) else finish(result, exposure, request)


def _as_constant(route: Callable[[Exposure, Request], Any], exposure: Exposure, request: Request) -> Any:
    """What *route* gives, as a constant of what is recorded: only its memory was written, and no call tells of that."""
    with tensors.unrecorded():
        result = route(exposure, request)
    return result if isinstance(result, reading.ForeignLeaf) else tensors.as_constant(result)


def finish(result: Any, exposure: Exposure, request: Request) -> Any:
    """*result* with what concerns the finished tensor: its device, place in the graph, pinning."""
    return _finish_tensor(result, request) if request.to == "torch" else result


def _finish_tensor(tensor: Any, request: Request) -> Any:
    if request.device is not None and str(tensor.device) != str(request.device):
        tensor = tensor.to(request.device, non_blocking=request.non_blocking)
    if request.detach and tensor.requires_grad:
        tensor = tensor.detach()
    if request.requires_grad is not None and request.requires_grad != tensor.requires_grad:
        tensor = as_leaf(tensor.detach(), request.requires_grad)
    return tensor.pin_memory() if request.pin_memory else tensor


def as_leaf(tensor: Any, requires_grad: bool) -> Any:
    """*tensor* itself, off the graph, made a leaf that records gradients or does not."""
    if requires_grad and not (tensor.is_floating_point() or tensor.is_complex()):
        raise BadArgumentError(
            f"{name_of_torch(tensor.dtype)} values cannot require grad",
            why="only floating and complex numbers have gradients",
            fix="pass dtype='float32' as well, or drop requires_grad=",
        )
    return tensor.requires_grad_(requires_grad)


def _share_as_tensor(exposure: Exposure, request: Request) -> Any:
    seen = exposure.open()
    return seen if exposure.form == "tensor" else arrays.tensor_over(seen)


def _share_as_array(exposure: Exposure, request: Request) -> Any:
    """The memory as an array, marked if it must not be written."""
    seen = exposure.open()
    array = arrays.array_over(seen.detach()) if exposure.form == "tensor" else seen
    if exposure.writable or not array.flags.writeable:
        return array
    array = array.view()
    array.flags.writeable = False
    return array


def _adopt_as_array(exposure: Exposure, request: Request) -> Any:
    seen = exposure.open()
    return arrays.array_over(seen.detach()) if exposure.form == "tensor" else arrays.writable_over(seen)


def _copy_to_tensor(exposure: Exposure, request: Request) -> Any:
    seen = exposure.open()
    if exposure.form == "tensor":
        return copy_tensor(seen, request)
    trail = Trail()
    try:
        return tensor_from_array(seen, request, trail)
    except LossyConversionError as error:
        raise named(error, exposure, trail) from None


def _copy_to_array(exposure: Exposure, request: Request) -> Any:
    seen = exposure.open()
    if exposure.form == "tensor":
        seen = seen.detach().cpu()
        return array_from_array(arrays.array_at(seen.resolve_conj().resolve_neg()), request)
    trail = Trail()
    try:
        return array_from_array(seen, request, trail)
    except LossyConversionError as error:
        raise named(error, exposure, trail) from None


def copy_tensor(tensor: Any, request: Request) -> Any:
    """A copy of *tensor* with the dtype, device and layout asked for: owns its memory, keeps the graph."""
    torch = load("torch")
    name = name_of_torch(tensor.dtype)
    target = request.dtype or name
    if request.device is not None and str(request.device) != "cpu":
        tensor = tensor.to(request.device, non_blocking=request.non_blocking, copy=target == name)
        if target == name:
            return tensor
    if request.detach:
        tensor = tensor.detach()
    require_known(name, target)
    if not _may_fill(tensor):
        require_memory(tensor)
        result = _converted(tensor, name, target) if target != name else _clone(tensor, request)
        return _checked(tensor, result, name, target, request)
    require_whole(tensor)
    result = allocation.empty_like(torch, tensor, torch_dtype(target), request.memory_format)
    if tensor.requires_grad:
        return _checked(tensor, result.copy_(part_for(tensor, name, target)), name, target, request)
    fill_tensor(result, tensor, name, target, request.casting)
    return result


def require_known(name: str, target: str) -> None:
    """Raise where elements that are no numbers by themselves are to become another type."""
    if target != name and name not in DTYPES:
        raise UnsupportedDtypeError(
            f"cannot convert a tensor of {name} to {target}",
            why="its elements mean numbers only together with a scale, or are no numbers",
            fix="call dequantize() on it first, or leave dtype= away",
        )


def _converted(tensor: Any, name: str, target: str) -> Any:
    return part_for(tensor, name, target).to(torch_dtype(target), copy=True)


def _may_fill(tensor: Any) -> bool:
    """Whether a fresh buffer may be filled by hand: plain, large, dense, and nobody is recording the calls."""
    torch = load("torch")
    return bool(
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and not tensors.is_capturing()
        and tensors.is_dense_cpu(tensor)
        and not torch.is_inference_mode_enabled()
    )


def _clone(tensor: Any, request: Request) -> Any:
    return tensor.clone() if request.memory_format is None else tensor.clone(memory_format=request.memory_format)


def _checked(source: Any, result: Any, name: str, target: str, request: Request) -> Any:
    if can_lose(name, target, request.casting) and tensors.has_visible_values(source):
        refuse_loss(_stored_values(source), _stored_values(result), name, target, request.casting)
    return result


def _stored_values(tensor: Any) -> Any:
    """The elements that *tensor* stores, whatever its layout, in the order in which it stores them."""
    torch = load("torch")
    tensor = tensor.detach()
    if tensor.layout is torch.strided and not tensor.is_nested:
        return tensor
    return (tensor.coalesce() if tensor.layout is torch.sparse_coo else tensor).values()


def tensor_from_array(array: Any, request: Request, where: Where = None) -> Any:
    """A fresh tensor with the elements of *array*, whatever its strides, byte order or permissions."""
    torch = load("torch")
    name = name_of_numpy(array.dtype)
    target = request.dtype or name
    if array.nbytes < _ONE_THREAD and request.memory_format is None and hasattr(torch, target):
        small = _small_tensor(torch, array, target, request.casting)
        if small is not None:
            return small
    if not arrays.why_not_tensor_memory(array) and _has_torch_dtype(torch, name):
        view = arrays.tensor_over(array)
        if name == target and _is_one_small_run(array, request):
            return view.clone(memory_format=torch.contiguous_format)
        result = allocation.empty_like(torch, view, torch_dtype(target), request.memory_format)
        fill_tensor(result, view, name, target, request.casting, where)
        return result
    result = allocation.empty(torch, array.shape, torch_dtype(target))
    fill_tensor_from_array(result, array, name, target, request.casting, where)
    return result if request.memory_format is None else result.contiguous(memory_format=request.memory_format)


_ONE_THREAD = 1 << 20
"""Bytes below which torch may wait for a second thread for longer than one needs for the copy."""


def small_copy(exposure: Exposure) -> Any:
    """A fresh tensor with the elements of a small array; None where only a plan can tell."""
    if exposure.form != "array" or exposure.fresh or tensors.is_without_memory():
        return None
    array = exposure.open()
    target = name_of_numpy(array.dtype)
    torch = load("torch")
    if array.nbytes >= _ONE_THREAD or not hasattr(torch, target):
        return None
    return _small_tensor(torch, array, target, "checked")


def _small_tensor(torch: Any, array: Any, target: str, casting: str) -> Any:
    """As `tensor_from_array`, on this thread; None where *array* is not one run of memory, or loses a value."""
    if not kernels.gathers(array, target):
        return None
    shape = array.shape
    result = allocation.empty(torch, shape, torch_dtype(target))
    return result if kernels.gathered(array, (array,), (1, *shape), result.data_ptr(), target, casting) else None


def _is_one_small_run(array: Any, request: Request) -> bool:
    """Whether *array* is one run of memory, too small for advice on it."""
    return array.flags.c_contiguous and array.nbytes < allocation.ADVISE_FROM and request.memory_format is None


def _has_torch_dtype(torch: Any, name: str) -> bool:
    return hasattr(torch, name)


def array_from_array(array: Any, request: Request, where: Where = None) -> Any:
    """A fresh array with the elements of *array* in the order of its strides, in the machine's byte order."""
    numpy = load("numpy")
    name = name_of_numpy(array.dtype)
    target = request.dtype or name
    result = numpy.empty_like(array, dtype=numpy_dtype(target), subok=False)
    torch = loaded("torch")
    fast = torch is not None and result.nbytes >= allocation.ADVISE_FROM and not arrays.why_not_tensor_memory(array)
    alike = (name, target) != ("float64", "float16")  # torch rounds twice on that way
    if torch is not None and fast and alike and hasattr(torch, name) and hasattr(torch, target):
        fill_tensor(arrays.tensor_over(result), arrays.tensor_over(array), name, target, request.casting, where)
    else:
        fill_array(result, array, name, target, request.casting, where)
    return result


def read_list(nest: list[Any]) -> Any:
    """A fresh tensor with the numbers in *nest*: the way without options.

    `reading.HOLDS_ARRAYS` where *nest* begins with an array or a tensor; None where only its plan can tell.
    """
    rooms = _rooms.get(_default_dtype()) or _make_rooms()
    return None if rooms is None else reading.read_small(nest, rooms)


_rooms: dict[Any, reading.Rooms] = {}
"""Rooms for small results, by the default dtype of torch."""
_default_dtype: Callable[[], Any] = default_float
"""``torch.get_default_dtype`` once there are rooms."""


def _make_rooms() -> reading.Rooms | None:
    """Rooms for small tensors; None where a mode is active in which what is made now would not serve later."""
    global _default_dtype
    torch = load("torch")
    names = [result_dtype(1 << kind, default_float()) for kind in range(len(KINDS))]
    # A tensor makes one like itself in two thirds of the time that torch.empty takes to read dtype and device.
    models = [torch.empty(0, dtype=torch_dtype(n), device="cpu") if hasattr(torch, n) else None for n in names]
    guards: list[Any] = [getattr(torch._C, name, None) for name in tensors.WATCHERS]
    if None in guards or not all(model is None or tensors.has_plain_memory(model) for model in models):
        return None
    _default_dtype = torch.get_default_dtype
    rooms = _rooms[_default_dtype()] = reading.Rooms(
        makers=tuple(None if model is None else model.new_empty for model in models),
        dtypes=bytes(READABLE.index(name) for name in names),
        address=torch.Tensor.data_ptr,
        most=allocation.ADVISE_FROM - 1,
        guards=tuple(guards),
    )
    return rooms


def _allocate_tensor(shape: tuple[int, ...], name: str) -> tuple[int, Any]:
    result = allocation.empty(load("torch"), shape, torch_dtype(name))
    return result.data_ptr(), result


def _read_to_tensor(exposure: Exposure, request: Request) -> Any:
    """A fresh tensor with the numbers in the nest."""
    return _read(exposure, request, default_float(), _allocate_tensor, copy_tensor)


def _read_to_array(exposure: Exposure, request: Request) -> Any:
    """A fresh array with the numbers in the nest; Python floats become float64, as NumPy makes them."""
    numpy = load("numpy")

    def allocate(shape: tuple[int, ...], name: str) -> tuple[int, Any]:
        result = numpy.empty(shape, numpy_dtype(name))
        return result.ctypes.data, result

    return _read(exposure, request, "float64", allocate, array_from_array)


def _read(exposure: Exposure, request: Request, floats: str, allocate: reading.Allocate[Any], convert: Any) -> Any:
    """The numbers in the nest; those of a type that the reader does not write are read exactly and converted."""
    if request.dtype is None or request.dtype in READABLE:
        return reading.read(
            exposure.open(), dtype=request.dtype, default_float=floats, casting=request.casting, allocate=allocate
        )
    found = reading.read(exposure.open(), default_float="float64", casting=request.casting, allocate=allocate)
    return found if isinstance(found, reading.ForeignLeaf) else convert(found, request)


_ROUTES: dict[tuple[str, str], Callable[[Exposure, Request], Any]] = {
    ("share", "torch"): _share_as_tensor,
    ("share", "numpy"): _share_as_array,
    ("adopt", "torch"): _share_as_tensor,
    ("adopt", "numpy"): _adopt_as_array,
    ("copy", "torch"): _copy_to_tensor,
    ("copy", "numpy"): _copy_to_array,
    ("assemble", "torch"): assemble_tensor,
    ("assemble", "numpy"): assemble_array,
    ("read", "torch"): _read_to_tensor,
    ("read", "numpy"): _read_to_array,
}
