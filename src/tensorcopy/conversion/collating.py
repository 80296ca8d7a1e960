"""The verb `collate`: a list of samples becomes one batch; made for ``DataLoader(collate_fn=tensorcopy.collate)``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from operator import countOf
from typing import Any

from ..errors import BadArgumentError, LossyConversionError, NestError, TensorcopyError
from ..live.dtypes import default_float, torch_dtype
from ..live.libraries import class_of, load
from ..live.tensors import is_lazy, is_without_memory
from . import allocation, reading
from .batching import have_one_dtype, join_arrays, ready_to_leave, stack_tensors
from .carry_out import read_list
from .casting import followable
from .collating_errors import (
    Field,
    in_field,
    none_among,
    other_names,
    refuse_unlike_keys,
    refuse_unlike_lengths,
    unlike,
    unsupported,
)
from .containers import Kind, Taken, kind_of, put_attributes, short, take_apart
from .converting import to_torch
from .sources import source_of

Rules = Mapping[type, Callable[[list[Any]], Any]]

_DEEPEST = 64


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
    if not rules and cls is class_of("torch", "Tensor") and have_one_dtype(values):
        return stack_tensors(values, field)
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
        raise none_among([value], field)
    form = _form_of(cls, value)
    if form is None:
        raise unsupported(value, field)
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
        raise none_among(values, field)
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
    raise unlike(values, field)


def _collate_text(values: list[Any], field: Field) -> list[Any]:
    return list(values)


def _collate_numbers(values: list[Any], field: Field) -> Any:
    try:
        if is_without_memory():
            return to_torch(values)
        result = reading.read(values, default_float=default_float(), allocate=_allocate)
        return to_torch(values) if isinstance(result, reading.ForeignLeaf) else result
    except LossyConversionError as error:
        raise in_field(followable(error, lambda dtype: to_torch(values, dtype=dtype)), field) from error
    except TensorcopyError as error:
        raise in_field(error, field) from error


def _allocate(shape: tuple[int, ...], dtype: str) -> tuple[int, Any]:
    result = load("torch").empty(shape, dtype=torch_dtype(dtype), device=allocation.cpu())
    return result.data_ptr(), result


def _collate_sources(values: list[Any], field: Field) -> Any:
    """Values that `to_torch` understands one by one, of one class or several."""
    try:
        return ready_to_leave(to_torch(values, copy=True), field)
    except TensorcopyError as error:
        raise in_field(error, field) from error


def _collate_tensors(values: list[Any], field: Field) -> Any:
    alike = have_one_dtype(values) and not any(map(is_lazy, values))
    return stack_tensors(values, field) if alike else _collate_sources(values, field)


def _collate_arrays(values: list[Any], field: Field) -> Any:
    joined = join_arrays(values, field)
    return _collate_sources(values, field) if joined is None else joined


def _collate_containers(values: list[Any], kind: Kind, field: Field, rules: Rules, depth: int) -> Any:
    if depth == _DEEPEST:
        raise NestError(
            f"samples are more than {_DEEPEST} levels deep",
            why="a sample may contain itself",
            fix="look for a list or dict that was put into itself, or flatten the samples",
        )
    first = values[0]
    if isinstance(first, (set, frozenset)):
        raise unsupported(first, field)
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
        refuse_unlike_keys(values, field)
    try:
        columns = [[value[key] for value in values] for key in keys]
    except KeyError:
        refuse_unlike_keys(values, field)
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


def _collate_sequences(values: list[Any], kind: Kind, field: Field, rules: Rules, depth: int) -> Any:
    first = values[0]
    if countOf(map(len, values), len(first)) < len(values):
        refuse_unlike_lengths(list(map(len, values)), field)
    batches = [
        _collate(list(column), (*field, partial(kind.label, first, i, [])), rules, depth + 1)
        for i, column in enumerate(zip(*values, strict=True))
    ]
    return batches if type(first) is list else kind.build(first, batches)


def _collate_parts(taken: list[Taken], field: Field, rules: Rules, depth: int) -> Any:
    """Lists with attributes, dataclasses, namespaces and the like: element by element, attributes by name."""
    first = taken[0]
    refuse_unlike_lengths([one.count for one in taken], field)
    for sample, one in enumerate(taken):
        if set(one.names) != set(first.names):
            raise other_names(field, sample, set(one.names) ^ set(first.names), first.names)
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
