"""Why samples make no batch, in words that name the field and the sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..errors import (
    GraphError,
    LossyConversionError,
    NestError,
    RaggedError,
    TensorcopyError,
    UnsupportedSourceError,
    WrongDeviceError,
)
from .casting import advised_dtype
from .containers import short

Field = tuple[Callable[[], str], ...]
"""The path of a field in a sample: what words each step, which only an error needs."""


def refuse_unlike_members(values: list[Any], field: Field) -> None:
    """Raise `RaggedError` or `WrongDeviceError` for the first value that does not go with the first of all."""
    first = values[0]
    if any(getattr(value, "is_nested", False) for value in values):
        return
    for sample, value in enumerate(values):
        if tuple(value.shape) != tuple(first.shape):
            raise RaggedError(
                f"cannot collate {called(field)}: sample {sample} has shape {tuple(value.shape)}, "
                f"sample 0 {tuple(first.shape)}",
                why="a batch is one tensor, so all samples must have one shape",
                fix="crop or pad the samples in the dataset, as with torch.nn.utils.rnn.pad_sequence",
            )
        if getattr(value, "device", None) != getattr(first, "device", None):
            raise WrongDeviceError(
                f"cannot collate {called(field)}: sample {sample} lies on {value.device}, sample 0 on {first.device}",
                why="a batch is one tensor, which lies on one device",
                fix="move the samples to one device in the dataset, best to the CPU",
            )


def refuse_unlike_keys(values: list[Any], field: Field) -> None:
    """Raise `NestError` for the first sample that has other keys than sample 0."""
    first = values[0]
    for sample, value in enumerate(values):
        if value.keys() != first.keys():
            raise other_names(field, sample, first.keys() ^ value.keys(), first.keys())


def refuse_unlike_lengths(lengths: list[int], field: Field) -> None:
    """Raise `RaggedError` for the first sample that has not as many elements as sample 0."""
    for sample, length in enumerate(lengths):
        if length != lengths[0]:
            raise RaggedError(
                f"cannot collate {called(field)}: sample {sample} has {length} elements, sample 0 {lengths[0]}",
                why="each element becomes a batch of its own, so all samples must have as many",
                fix="pad the samples in the dataset, or make one tensor of each and pad that",
            )


def other_names(field: Field, sample: int, names: Iterable[Any], first: Iterable[Any]) -> NestError:
    """The refusal of a sample that lacks a name of the first, or has one more."""
    known = list(first)
    strange = sorted(short(name) for name in names)
    verb = "lacks" if strange[0] in map(short, known) else "alone has"
    return NestError(
        f"cannot collate {called(field)}: sample {sample} {verb} {strange[0]}",
        why="a field becomes one batch, so every sample must have it",
        fix="give it a default in the dataset, or remove it from all samples",
    )


def unlike(values: list[Any], field: Field) -> NestError:
    """The refusal of values of several kinds."""
    first = type(values[0])
    sample = next(i for i, value in enumerate(values) if type(value) is not first)
    return NestError(
        f"cannot collate {called(field)}: sample {sample} is {type(values[sample]).__name__}, "
        f"sample 0 {first.__name__}",
        why="a field becomes one batch, so its values must be of one kind",
        fix="convert them in the dataset",
    )


def none_among(values: list[Any], field: Field) -> UnsupportedSourceError:
    """The refusal of None."""
    sample = next(i for i, value in enumerate(values) if value is None)
    return UnsupportedSourceError(
        f"cannot collate {called(field)}: it is None in sample {sample}",
        why="None is no number, and a batch has no place without one",
        fix="give it a value in the dataset, drop such samples, or leave the field out",
    )


def unsupported(value: Any, field: Field) -> UnsupportedSourceError:
    """The refusal of what no batch can be made of."""
    cls = type(value)
    name = f"{cls.__module__}.{cls.__qualname__}".replace("builtins.", "")
    return UnsupportedSourceError(
        f"cannot collate {called(field)} of {name}",
        why="it is no tensor, array, number, text or ordered container of them",
        fix=f"convert it in the dataset, or pass by_type={{{cls.__name__}: function}}",
    )


def no_graph_between_processes(field: Field) -> GraphError:
    """The refusal of tensors that require grad in a worker process."""
    return GraphError(
        f"cannot collate {called(field)}: it requires grad, and this is a worker process",
        why="the graph cannot leave the process that recorded it",
        fix="detach the tensors in the dataset, or use num_workers=0",
    )


def called(field: Field) -> str:
    """The field in words."""
    return f"field {''.join(step() for step in field)}" if field else "the samples"


def in_field(error: TensorcopyError, field: Field) -> TensorcopyError:
    """*error* once more, naming the field."""
    what = f"{error.what}, in {called(field)} (the first index is the sample)"
    fix = _fix_in_dataset(error) if isinstance(error, LossyConversionError) else error.fix
    return type(error)(what, why=error.why, fix=fix)


def _fix_in_dataset(error: LossyConversionError) -> str:
    """What to do about a value that a batch would change: `collate` has neither ``dtype=`` nor ``casting=``."""
    dtype = advised_dtype(error)
    if dtype is None:
        return "round or replace the value in the dataset: no dtype holds it and those of the other samples"
    return f"make it a tensor that holds all of them in the dataset: torch.as_tensor(value, dtype=torch.{dtype})"
