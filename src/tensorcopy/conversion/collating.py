"""The verb `collate`: a list of samples becomes one batch; made for ``DataLoader(collate_fn=tensorcopy.collate)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import prod
from operator import attrgetter, countOf
from typing import Any

from ..errors import (
    BadArgumentError,
    GraphError,
    LossyConversionError,
    NestError,
    RaggedError,
    TensorcopyError,
    UnsupportedSourceError,
    WrongDeviceError,
)
from ..live import arrays
from ..live.dtypes import default_float, name_of_numpy, torch_dtype
from ..live.libraries import class_of, load, loaded
from ..live.tensors import is_lazy, is_without_memory
from . import allocation, reading
from .carry_out import read_list, require_memory
from .casting import advised_dtype, followable
from .containers import Kind, Taken, kind_of, put_attributes, short, take_apart
from .converting import to_torch
from .moving import LARGE, moved
from .sources import source_of

Rules = Mapping[type, Callable[[list[Any]], Any]]
Field = tuple[Callable[[], str], ...]
"""The path of a field in a sample: what words each step, which only an error needs."""

_DEEPEST = 64
_LARGE = allocation.ADVISE_FROM // 16
"""Elements from which a batch of tensors may be large enough for advice on its memory."""

_dtype_of = attrgetter("dtype")


def collate(batch: Iterable[Any], *, by_type: Rules | None = None) -> Any:
    """One batch from a list of samples: copies; keeps the graph of tensors that require grad. Nothing is shared.

    Tensors, arrays, numbers, images and everything else that `to_torch` takes become one tensor with a new first
    dimension, in the order of the samples. Dicts, lists, tuples, named tuples, dataclasses and their subclasses become
    one such container of batches. Text and bytes become a list. As ``torch.utils.data.default_collate``, except that

    - a value never changes: Python's floats become ``torch.get_default_dtype()``, and samples of different dtypes are
      promoted only where each value survives;
    - a tuple stays a tuple, and dataclasses and images are understood;
    - samples whose keys, lengths or shapes differ are refused, naming the field and the sample.

    In a worker process of a ``DataLoader`` the tensors are written into shared memory at once. The function pickles, so
    it serves spawned workers.

    Args:
        batch: The samples; at least one.
        by_type: Functions for other types, as ``{Graph: join_graphs}``: each gets the list of values of its type (or
            of a subclass) and gives their batch. Use ``functools.partial(collate, by_type=...)`` as the
            ``collate_fn``.

    Raises:
        RaggedError: shapes or lengths differ. NestError: structures differ. LossyConversionError: a value would change.
        UnsupportedSourceError: a field is None, or nothing that a batch can be made of. GraphError: tensors that
            require grad cannot leave a worker process.

    Example:
        >>> import tensorcopy as tc
        >>> tc.collate([{"x": 1.5, "name": "a"}, {"x": 2.0, "name": "b"}])
        {'x': tensor([1.5000, 2.0000]), 'name': ['a', 'b']}
    """
    samples = batch if type(batch) is list else list(batch)
    if not samples:
        raise BadArgumentError(
            "cannot collate an empty batch",
            why="without a sample neither the fields nor their dtypes are known",
            fix="skip the batch, or use a sampler that gives at least one index",
        )
    return _collate(samples, (), by_type or {}, 0)


def _collate(values: list[Any], field: Field, rules: Rules, depth: int) -> Any:
    """The batch of one field."""
    cls = type(values[0])
    if not rules and cls is class_of("torch", "Tensor") and _have_one_dtype(values):
        return _stack_tensors(values, field)
    if not rules and (cls is float or cls is int):
        numbers = read_list(values)
        if numbers is not None:
            return numbers
    kinds = set(map(type, values))
    if len(kinds) > 1:
        return _collate_mixed(values, field, kinds, rules, depth)
    return _collate_as(kinds.pop(), values, field, rules, depth)


def _collate_as(cls: type, values: list[Any], field: Field, rules: Rules, depth: int) -> Any:
    for base, rule in rules.items():
        if issubclass(cls, base):
            return rule(values)
    form = _forms.get(cls) or _learn(cls, values[0], field)
    if isinstance(form, Kind):
        return _collate_containers(values, form, field, rules, depth)
    return form(values, field)


_forms: dict[type, Any] = {}
"""How values of a class are put together: a function, or the kind of container that they are."""


def _learn(cls: type, value: Any, field: Field) -> Any:
    if value is None:
        raise _none([value], field)
    form = _form_of(cls, value)
    if form is None:
        raise _unsupported(value, field)
    _forms[cls] = form
    return form


def _form_of(cls: type, value: Any) -> Any:
    if issubclass(cls, (str, bytes)):
        return _collate_text
    if _is_a(cls, "torch", "Tensor"):
        return _collate_tensors
    if cls is class_of("numpy", "ndarray") or _is_a(cls, "numpy", "memmap"):
        return _collate_arrays
    if issubclass(cls, (bool, int, float, complex)) or _is_a(cls, "numpy", "generic"):
        return _collate_numbers
    return kind_of(cls) or (_collate_sources if source_of(value) is not None else None)


def _is_a(cls: type, module: str, name: str) -> bool:
    base = class_of(module, name)
    return base is not None and issubclass(cls, base)


def _collate_mixed(values: list[Any], field: Field, kinds: set[type], rules: Rules, depth: int) -> Any:
    """Values of several classes: all text, all tensors, all numbers and arrays, or containers of one kind."""
    if type(None) in kinds:
        raise _none(values, field)
    for base, rule in rules.items():
        if all(issubclass(cls, base) for cls in kinds):
            return rule(values)
    firsts = {type(value): value for value in reversed(values)}
    forms = [_forms.get(cls) or _learn(cls, value, field) for cls, value in firsts.items()]
    first = forms[-1]
    if isinstance(first, Kind):
        if all(type(form) is type(first) for form in forms):
            return _collate_containers(values, first, field, rules, depth)
    elif all(form is first for form in forms):
        return first(values, field)
    elif not any(isinstance(form, Kind) or form is _collate_text for form in forms):
        return _collate_sources(values, field)
    raise _unlike(values, field)


def _collate_text(values: list[Any], field: Field) -> list[Any]:
    return list(values)


def _collate_numbers(values: list[Any], field: Field) -> Any:
    try:
        if is_without_memory():
            return to_torch(values)
        result = reading.read(values, default_float=default_float(), allocate=_allocate)
        return to_torch(values) if isinstance(result, reading.ForeignLeaf) else result
    except LossyConversionError as error:
        raise _in_field(followable(error, lambda dtype: to_torch(values, dtype=dtype)), field) from error
    except TensorcopyError as error:
        raise _in_field(error, field) from error


def _allocate(shape: tuple[int, ...], dtype: str) -> tuple[int, Any]:
    result = load("torch").empty(shape, dtype=torch_dtype(dtype), device=allocation.cpu())
    return result.data_ptr(), result


def _collate_sources(values: list[Any], field: Field) -> Any:
    """Values that `to_torch` understands one by one, of one class or several."""
    try:
        return _shared(to_torch(values, copy=True), field)
    except TensorcopyError as error:
        raise _in_field(error, field) from error


def _have_one_dtype(values: list[Any]) -> bool:
    """Whether all have the dtype of the first; False if some have none."""
    try:
        return countOf(map(_dtype_of, values), values[0].dtype) == len(values)
    except AttributeError:
        return False


def _collate_tensors(values: list[Any], field: Field) -> Any:
    alike = _have_one_dtype(values) and not any(map(is_lazy, values))
    return _stack_tensors(values, field) if alike else _collate_sources(values, field)


def _stack_tensors(values: list[Any], field: Field) -> Any:
    torch, first = load("torch"), values[0]
    large = len(values) * first.numel() >= _LARGE
    out = _room(torch, values, field) if large or _is_in_worker() else None
    try:
        if out is not None and moved(out.unbind(), values):
            return out
        if out is not None:
            for value in values:
                require_memory(value)
        return torch.stack(values) if out is None else torch.stack(values, out=out)
    except (RuntimeError, TypeError) as error:
        _explain(values, field)
        raise UnsupportedSourceError(
            f"cannot collate {_called(field)} of tensors: {str(error).splitlines()[0]}",
            why=f"torch.stack does not take tensors of layout {first.layout}",
            fix="make them dense in the dataset, or pass by_type=",
        ) from error


def _room(torch: Any, values: list[Any], field: Field) -> Any:
    """Where the batch of these tensors is to be written; None where torch has to find its own place."""
    plain = {torch.Tensor, torch.nn.Parameter}
    if not set(map(type, values)) <= plain or not all(v.is_cpu and v.layout is torch.strided for v in values):
        return None
    if any(v.is_quantized or v.is_nested or v.shape != values[0].shape for v in values):
        return None
    if any(map(attrgetter("requires_grad"), values)) and torch.is_grad_enabled():
        if _is_in_worker():
            raise _no_graph_between_processes(field)
        return None
    return _empty(torch, (len(values), *values[0].shape), values[0].dtype)


def _empty(torch: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """A fresh tensor: in shared memory within a worker process, else in ordinary memory."""
    if not _is_in_worker():
        return allocation.empty(torch, shape, dtype)
    storage = torch.UntypedStorage._new_shared(prod(shape) * dtype.itemsize, device="cpu")
    return torch.empty(0, dtype=dtype, device="cpu").set_(storage, 0, shape)


def _is_in_worker() -> bool:
    data = loaded("torch.utils.data")
    return data is not None and data.get_worker_info() is not None


def _shared(result: Any, field: Field) -> Any:
    """*result*, ready to leave a worker process."""
    if result.requires_grad and _is_in_worker():
        raise _no_graph_between_processes(field)
    return result


def _no_graph_between_processes(field: Field) -> GraphError:
    return GraphError(
        f"cannot collate {_called(field)}: it requires grad, and this is a worker process",
        why="the graph cannot leave the process that recorded it",
        fix="detach the tensors in the dataset, or use num_workers=0",
    )


def _collate_arrays(values: list[Any], field: Field) -> Any:
    first, count = values[0], len(values)
    if first.ndim == 0 or not _have_one_dtype(values) or not arrays.is_numeric(first) or is_without_memory():
        return _collate_sources(values, field)
    if countOf(map(len, values), len(first)) < count:
        _explain(values, field)
    torch, dtype = load("torch"), torch_dtype(name_of_numpy(first.dtype))
    result = _empty(torch, (count, *first.shape), dtype)
    try:
        _join(torch, values, result)
    except (ValueError, RuntimeError):
        _explain(values, field)
        raise
    return result


def _join(torch: Any, values: list[Any], result: Any) -> None:
    """Write arrays, of as many rows each, into *result*; an error if their shapes differ."""
    if result.nbytes >= LARGE and not any(map(arrays.why_not_tensor_memory, values)):
        tensors = [arrays.tensor_over(value) for value in values]
        if any(tensor.shape != result.shape[1:] for tensor in tensors) or not moved(result.unbind(), tensors):
            torch.stack(tensors, out=result)
    else:
        place = arrays.array_at(result)
        load("numpy").concatenate(values, out=place.reshape(-1, *place.shape[2:]))


def _explain(values: list[Any], field: Field) -> None:
    """Raise `RaggedError` or `WrongDeviceError` for the first value that does not go with the first of all."""
    first = values[0]
    if any(getattr(value, "is_nested", False) for value in values):
        return
    for sample, value in enumerate(values):
        if tuple(value.shape) != tuple(first.shape):
            raise RaggedError(
                f"cannot collate {_called(field)}: sample {sample} has shape {tuple(value.shape)}, "
                f"sample 0 {tuple(first.shape)}",
                why="a batch is one tensor, so all samples must have one shape",
                fix="crop or pad the samples in the dataset, as with torch.nn.utils.rnn.pad_sequence",
            )
        if getattr(value, "device", None) != getattr(first, "device", None):
            raise WrongDeviceError(
                f"cannot collate {_called(field)}: sample {sample} lies on {value.device}, sample 0 on {first.device}",
                why="a batch is one tensor, which lies on one device",
                fix="move the samples to one device in the dataset, best to the CPU",
            )


def _collate_containers(values: list[Any], kind: Kind, field: Field, rules: Rules, depth: int) -> Any:
    if depth == _DEEPEST:
        raise NestError(
            f"samples are more than {_DEEPEST} levels deep",
            why="a sample may contain itself",
            fix="look for a list or dict that was put into itself, or flatten the samples",
        )
    first = values[0]
    if isinstance(first, (set, frozenset)):
        raise _unsupported(first, field)
    if kind.hashed(2):
        return _collate_mappings(values, kind, field, rules, depth)
    if _is_bare_sequence(type(first)):
        return _collate_sequences(values, kind, field, rules, depth)
    return _collate_parts([take_apart(value, kind) for value in values], field, rules, depth)


def _is_bare_sequence(cls: type) -> bool:
    """Whether a list or tuple class has neither attributes nor ways of its own to be read."""
    if cls is tuple or cls is list:
        return True
    return issubclass(cls, tuple) and not cls.__dictoffset__ and cls.__iter__ is tuple.__iter__


def _collate_mappings(values: list[Any], kind: Kind, field: Field, rules: Rules, depth: int) -> Any:
    first = values[0]
    keys = list(first.keys())
    if type(first) is not dict or countOf(map(len, values), len(keys)) < len(values):
        _check_keys(values, field)
    try:
        columns = [[value[key] for value in values] for key in keys]
    except KeyError:
        _check_keys(values, field)
        raise
    batches = [
        _collate(column, (*field, partial(_key_step, key)), rules, depth + 1)
        for key, column in zip(keys, columns, strict=True)
    ]
    if type(first) is dict:
        return dict(zip(keys, batches, strict=True))
    return _remade(take_apart(first, kind), [*keys, *batches])


def _key_step(key: Any) -> str:
    return f"[{short(key)}]"


def _check_keys(values: list[Any], field: Field) -> None:
    first = values[0]
    for sample, value in enumerate(values):
        if value.keys() != first.keys():
            raise _other_names(field, sample, first.keys() ^ value.keys(), first.keys())


def _collate_sequences(values: list[Any], kind: Kind, field: Field, rules: Rules, depth: int) -> Any:
    first = values[0]
    if countOf(map(len, values), len(first)) < len(values):
        _refuse_lengths(list(map(len, values)), field)
    batches = [
        _collate(list(column), (*field, partial(kind.label, first, i, [])), rules, depth + 1)
        for i, column in enumerate(zip(*values, strict=True))
    ]
    return batches if type(first) is list else kind.build(first, batches)


def _collate_parts(taken: list[Taken], field: Field, rules: Rules, depth: int) -> Any:
    """Lists with attributes, dataclasses, namespaces and the like: element by element, attributes by name."""
    first = taken[0]
    _refuse_lengths([one.count for one in taken], field)
    for sample, one in enumerate(taken):
        if set(one.names) != set(first.names):
            raise _other_names(field, sample, set(one.names) ^ set(first.names), first.names)
    columns = [[one.parts[i] for one in taken] for i in range(first.count)]
    columns += [[one.parts[one.count + one.names.index(name)] for one in taken] for name in first.names]
    batches = [
        _collate(column, (*field, partial(first.label, i)), rules, depth + 1) for i, column in enumerate(columns)
    ]
    return _remade(first, batches)


def _remade(model: Taken, parts: list[Any]) -> Any:
    """A container like *model* around new parts; attributes that are not among these are those of *model*."""
    contents, attributes = parts[: model.count], parts[model.count :] or model.parts[model.count :]
    new = model.kind.shell(model.source) if model.kind.has_shell else model.kind.build(model.source, contents)
    if model.kind.has_shell:
        model.kind.fill(new, contents)
    if model.names:
        put_attributes(new, model, attributes)
    return new


def _refuse_lengths(lengths: list[int], field: Field) -> None:
    """Raise `RaggedError` for the first sample that has not as many elements as sample 0."""
    for sample, length in enumerate(lengths):
        if length != lengths[0]:
            raise RaggedError(
                f"cannot collate {_called(field)}: sample {sample} has {length} elements, sample 0 {lengths[0]}",
                why="each element becomes a batch of its own, so all samples must have as many",
                fix="pad the samples in the dataset, or make one tensor of each and pad that",
            )


def _other_names(field: Field, sample: int, names: Iterable[Any], first: Iterable[Any]) -> NestError:
    known = list(first)
    strange = sorted(short(name) for name in names)
    verb = "lacks" if strange[0] in map(short, known) else "alone has"
    return NestError(
        f"cannot collate {_called(field)}: sample {sample} {verb} {strange[0]}",
        why="a field becomes one batch, so every sample must have it",
        fix="give it a default in the dataset, or remove it from all samples",
    )


def _unlike(values: list[Any], field: Field) -> NestError:
    first = type(values[0])
    sample = next(i for i, value in enumerate(values) if type(value) is not first)
    return NestError(
        f"cannot collate {_called(field)}: sample {sample} is {type(values[sample]).__name__}, "
        f"sample 0 {first.__name__}",
        why="a field becomes one batch, so its values must be of one kind",
        fix="convert them in the dataset",
    )


def _none(values: list[Any], field: Field) -> UnsupportedSourceError:
    sample = next(i for i, value in enumerate(values) if value is None)
    return UnsupportedSourceError(
        f"cannot collate {_called(field)}: it is None in sample {sample}",
        why="None is no number, and a batch has no place without one",
        fix="give it a value in the dataset, drop such samples, or leave the field out",
    )


def _unsupported(value: Any, field: Field) -> UnsupportedSourceError:
    cls = type(value)
    name = f"{cls.__module__}.{cls.__qualname__}".replace("builtins.", "")
    return UnsupportedSourceError(
        f"cannot collate {_called(field)} of {name}",
        why="it is no tensor, array, number, text or ordered container of them",
        fix=f"convert it in the dataset, or pass by_type={{{cls.__name__}: function}}",
    )


def _called(field: Field) -> str:
    return f"field {''.join(step() for step in field)}" if field else "the samples"


def _in_field(error: TensorcopyError, field: Field) -> TensorcopyError:
    """*error* once more, naming the field."""
    what = f"{error.what}, in {_called(field)} (the first index is the sample)"
    fix = _fix_in_dataset(error) if isinstance(error, LossyConversionError) else error.fix
    return type(error)(what, why=error.why, fix=fix)


def _fix_in_dataset(error: LossyConversionError) -> str:
    """What to do about a value that a batch would change: `collate` has neither ``dtype=`` nor ``casting=``."""
    dtype = advised_dtype(error)
    if dtype is None:
        return "round or replace the value in the dataset: no dtype holds it and those of the other samples"
    return f"make it a tensor that holds all of them in the dataset: torch.as_tensor(value, dtype=torch.{dtype})"
