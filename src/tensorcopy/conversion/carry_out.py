"""Do what a plan says: the only module that moves data for a single array, tensor or nest of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import BadArgumentError, LossyConversionError
from ..live import arrays, tensors
from ..live.dtypes import DTYPES, ML_DTYPES, default_float, name_of_numpy, name_of_torch, numpy_dtype, torch_dtype
from ..live.libraries import is_tensor, load, loaded
from . import allocation, reading
from .casting import can_lose, find_loss, loss_error
from .plan import Exposure, Piece, Plan, Request

Where = Callable[[tuple[int, ...]], tuple[int, ...]] | None

_CHECK_BLOCK = 1 << 18
"""Elements cast and checked at a time: small enough that the check reads from cache what the cast has just written."""


def carry_out(plan: Plan, exposure: Exposure, request: Request) -> Any:
    """The result of *plan*. Raises `LossyConversionError` before anything is returned if a value would change.

    A nest read as numbers that turns out to hold something else gives the `reading.ForeignLeaf` instead.
    """
    result = _ROUTES[plan.route, request.to](exposure, request)
    return result if isinstance(result, reading.ForeignLeaf) else finish(result, exposure, request)


def finish(result: Any, exposure: Exposure, request: Request) -> Any:
    """*result* with what concerns the finished object: its device, place in the graph, pinning or write permission."""
    return _finish_tensor(result, request) if request.to == "torch" else _finish_array(result, exposure, request)


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


def _finish_array(array: Any, exposure: Exposure, request: Request) -> Any:
    """Mark an array over memory that must not be written."""
    if request.readonly and not exposure.writable and array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def _share_as_tensor(exposure: Exposure, request: Request) -> Any:
    seen = exposure.open()
    return seen if exposure.form == "tensor" else arrays.tensor_over(seen)


def _share_as_array(exposure: Exposure, request: Request) -> Any:
    seen = exposure.open()
    return arrays.array_over(seen.detach()) if exposure.form == "tensor" else seen


def _copy_to_tensor(exposure: Exposure, request: Request) -> Any:
    seen = exposure.open()
    if exposure.form == "tensor":
        return copy_tensor(seen, request)
    return tensor_from_array(seen, request)


def _copy_to_array(exposure: Exposure, request: Request) -> Any:
    seen = exposure.open()
    if exposure.form == "tensor":
        seen = seen.detach().cpu()
        view = arrays.array_over(seen.resolve_conj().resolve_neg())
        if view.base is None or seen.is_conj() or seen.is_neg():
            return array_from_array(view, request)
        return array_from_array(view, request)
    return array_from_array(seen, request)


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
    if not _may_fill(tensor):
        result = tensor.to(torch_dtype(target), copy=True) if target != name else _clone(tensor, request)
        return _checked(tensor, result, name, target, request)
    result = allocation.empty_like(torch, tensor, torch_dtype(target), request.memory_format)
    if tensor.requires_grad:
        return _checked(tensor, result.copy_(tensor), name, target, request)
    fill_tensor(result, tensor, name, target, request.casting)
    return result


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
    if can_lose(name, target, request.casting):
        refuse_loss(source.detach(), result.detach(), name, target, request.casting)
    return result


def tensor_from_array(array: Any, request: Request) -> Any:
    """A fresh tensor with the elements of *array*, whatever its strides, byte order or permissions."""
    torch = load("torch")
    name = name_of_numpy(array.dtype)
    target = request.dtype or name
    if not arrays.why_not_tensor_memory(array) and _has_torch_dtype(torch, name):
        view = arrays.tensor_over(array)
        result = allocation.empty_like(torch, view, torch_dtype(target), request.memory_format)
        fill_tensor(result, view, name, target, request.casting)
        return result
    result = allocation.empty(torch, array.shape, torch_dtype(target))
    fill_array(arrays.array_over(result), array, name, target, request.casting)
    return result if request.memory_format is None else result.contiguous(memory_format=request.memory_format)


def _has_torch_dtype(torch: Any, name: str) -> bool:
    return hasattr(torch, name)


def array_from_array(array: Any, request: Request) -> Any:
    """A fresh array with the elements of *array* in the order of its strides, in the machine's byte order."""
    numpy = load("numpy")
    name = name_of_numpy(array.dtype)
    target = request.dtype or name
    result = numpy.empty_like(array, dtype=numpy_dtype(target), subok=False)
    torch = loaded("torch")
    fast = torch is not None and result.nbytes >= allocation.ADVISE_FROM and not arrays.why_not_tensor_memory(array)
    if torch is not None and fast and hasattr(torch, name) and hasattr(torch, target):
        fill_tensor(arrays.tensor_over(result), arrays.tensor_over(array), name, target, request.casting)
    else:
        fill_array(result, array, name, target, request.casting)
    return result


def fill_tensor(result: Any, source: Any, name: str, target: str, casting: str, where: Where = None) -> None:
    """Write *source* into *result* in one pass, checked where a value could be lost. Both are off the graph.

    *where* gives the index that a message names for an index of *source*.
    """
    if not can_lose(name, target, casting):
        result.copy_(source)
    elif source.numel() <= _CHECK_BLOCK or not (source.is_contiguous() and result.is_contiguous()):
        result.copy_(source)
        refuse_loss(source, result, name, target, casting, where=where)
    else:
        flat, out = source.view(-1), result.view(-1)
        for start in range(0, flat.numel(), _CHECK_BLOCK):
            stop = start + _CHECK_BLOCK
            out[start:stop].copy_(flat[start:stop])
            block = flat[start:stop], out[start:stop]
            refuse_loss(*block, name, target, casting, whole=source, start=start, where=where)


def fill_array(result: Any, source: Any, name: str, target: str, casting: str, where: Where = None) -> None:
    """Write *source* into *result* through NumPy, checked where a value could be lost; *where* as in `fill_tensor`."""
    numpy = load("numpy")
    with numpy.errstate(all="ignore"):
        numpy.copyto(result, source.real if _drops_imaginary(name, target) else source, casting="unsafe")
        if can_lose(name, target, casting):
            native = source if source.dtype.isnative else source.astype(source.dtype.newbyteorder("="))
            index = find_loss(numpy, native, result, (name, target), casting)
            if index is not None:
                raise loss_error(source[index].item(), where(index) if where else index, name, target)


def _drops_imaginary(name: str, target: str) -> bool:
    return DTYPES[name].kind == "c" and DTYPES[target].kind != "c"


def refuse_loss(
    source: Any,
    result: Any,
    name: str,
    target: str,
    casting: str,
    *,
    whole: Any = None,
    start: int = 0,
    where: Where = None,
) -> None:
    """Raise `LossyConversionError` for the first element of *source* that *result* does not hold.

    Both are tensors. A block of a larger tensor passes *whole* and its flat *start*, for the index in the message.
    """
    torch = load("torch")
    if name in _LEFT_TO_NUMPY or target in _LEFT_TO_NUMPY:
        lib = load("numpy")
        index = find_loss(lib, arrays.array_over(source), arrays.array_over(result), (name, target), casting)
    else:
        index = find_loss(torch, source, result, (name, target), casting)
    if index is not None:
        place = index if whole is None else _unravel(start + index[0], whole.shape)
        raise loss_error(source[index].item(), where(place) if where else place, name, target)


_LEFT_TO_NUMPY = frozenset({"uint16", "uint32", "uint64"})
"""Types that torch stores but hardly computes with."""


def _unravel(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size)
        index.append(rest)
    return tuple(reversed(index))


def _read_to_tensor(exposure: Exposure, request: Request) -> Any:
    """A fresh tensor with the numbers in the nest."""
    torch = load("torch")

    def allocate(shape: tuple[int, ...], name: str) -> tuple[int, Any]:
        result = allocation.empty(torch, shape, torch_dtype(name))
        return result.data_ptr(), result

    return reading.read(
        exposure.open(), dtype=request.dtype, default_float=default_float(), casting=request.casting, allocate=allocate
    )


def _read_to_array(exposure: Exposure, request: Request) -> Any:
    """A fresh array with the numbers in the nest; Python floats become float64, as NumPy makes them."""
    numpy = load("numpy")

    def allocate(shape: tuple[int, ...], name: str) -> tuple[int, Any]:
        result = numpy.empty(shape, numpy_dtype(name))
        return result.ctypes.data, result

    return reading.read(
        exposure.open(), dtype=request.dtype, default_float="float64", casting=request.casting, allocate=allocate
    )


def _assemble_tensor(exposure: Exposure, request: Request) -> Any:
    """A fresh tensor that the pieces fill."""
    torch = load("torch")
    target, shape = _target_of(exposure, request), exposure.shape or ()
    if exposure.columns_first and request.memory_format is None:
        result = allocation.empty(torch, shape[::-1], torch_dtype(target)).permute(*reversed(range(len(shape))))
    else:
        result = allocation.empty(torch, shape, torch_dtype(target))
    for piece in exposure.open():
        name = name_of_numpy(piece.values.dtype)
        if arrays.why_not_tensor_memory(piece.values) or not _has_torch_dtype(torch, name):
            _fill_piece(fill_array, arrays.array_over(result), piece.values, piece, exposure, request, (name, target))
        else:
            _fill_piece(fill_tensor, result, arrays.tensor_over(piece.values), piece, exposure, request, (name, target))
    return result if request.memory_format is None else result.contiguous(memory_format=request.memory_format)


def _assemble_array(exposure: Exposure, request: Request) -> Any:
    """A fresh array that the pieces fill."""
    target = _target_of(exposure, request)
    order = "F" if exposure.columns_first else "C"
    result = load("numpy").empty(exposure.shape, numpy_dtype(target), order=order)
    for piece in exposure.open():
        name = name_of_numpy(piece.values.dtype)
        _fill_piece(fill_array, result, piece.values, piece, exposure, request, (name, target))
    return result


def _target_of(exposure: Exposure, request: Request) -> str:
    return request.dtype or exposure.dtype or default_float()


def _fill_piece(
    fill: Any, result: Any, values: Any, piece: Piece, exposure: Exposure, request: Request, names: tuple[str, str]
) -> None:
    """Write one piece, then the stand-in for its nulls; what lies in memory under a null is never looked at."""
    part = result[(*piece.place, ...)]
    if piece.nulls is not None and can_lose(*names, request.casting):
        values = values.copy() if fill is fill_array else values.clone()
        _put(values, piece.nulls, 0, names[0], "unsafe")
    lost: list[tuple[int, ...]] = []

    def where(index: tuple[int, ...]) -> tuple[int, ...]:
        lost.append(_in_whole(piece, index))
        return lost[0]

    try:
        fill(part, values, *names, request.casting, where)
    except LossyConversionError as error:
        raise _labelled(error, lost[0], exposure) from None
    if piece.nulls is not None:
        _put(part, piece.nulls, request.null, names[1], request.casting)


def _in_whole(piece: Piece, index: tuple[int, ...]) -> tuple[int, ...]:
    """The index in the result of what lies at *index* in *piece*."""
    rest = list(index)
    whole = [p if isinstance(p, int) else (p.start or 0) + (p.step or 1) * rest.pop(0) for p in piece.place]
    return (*whole, *rest)


def _labelled(error: LossyConversionError, index: tuple[int, ...], exposure: Exposure) -> LossyConversionError:
    """*error* naming the column too, where there is one."""
    what = error.what if exposure.label is None else f"{error.what}, in {exposure.label(index[1])}"
    return LossyConversionError(what, why=error.why, fix=error.fix)


def _put(part: Any, nulls: Any, null: Any, target: str, casting: str) -> None:
    """Write *null* into *part*, a tensor or an array, wherever *nulls* is true; refused where *null* would change."""
    numpy = load("numpy")
    value = numpy.asarray(null)
    names = name_of_numpy(value.dtype), target
    try:
        if not is_tensor(part):
            stand_in = numpy.empty((), part.dtype)
            fill_array(stand_in, value, *names, casting)
        else:
            stand_in = load("torch").empty((), dtype=part.dtype)
            fill_tensor(stand_in, arrays.tensor_over(value), *names, casting)
    except LossyConversionError as error:
        what = f"null={null!r} cannot stand in for a missing {target}"
        raise LossyConversionError(what, why=error.why, fix=error.fix) from None
    if target in ML_DTYPES and is_tensor(part):
        part.masked_fill_(arrays.tensor_over(nulls), stand_in)
    else:
        numpy.copyto(_seen_by_numpy(part), _seen_by_numpy(stand_in), where=nulls)


def _seen_by_numpy(values: Any) -> Any:
    return arrays.array_over(values) if is_tensor(values) else values


_ROUTES: dict[tuple[str, str], Callable[[Exposure, Request], Any]] = {
    ("share", "torch"): _share_as_tensor,
    ("share", "numpy"): _share_as_array,
    ("adopt", "torch"): _share_as_tensor,
    ("adopt", "numpy"): _share_as_array,
    ("copy", "torch"): _copy_to_tensor,
    ("copy", "numpy"): _copy_to_array,
    ("assemble", "torch"): _assemble_tensor,
    ("assemble", "numpy"): _assemble_array,
    ("read", "torch"): _read_to_tensor,
    ("read", "numpy"): _read_to_array,
}
