"""JAX arrays. They are immutable: a view of one is read-only. bfloat16 and float8 come through ml_dtypes.

An array that lies on several CPU devices is gathered shard by shard, straight into the result.
"""

from __future__ import annotations

from typing import Any

from ...errors import UnsupportedSourceError, UnusableBufferError, WrongDeviceError
from ...live.dtypes import DTYPES
from ...live.libraries import class_of, load
from ..plan import Exposure, Piece, Request
from . import dlpack

ORDER = 58


def recognises(cls: type) -> bool:
    """Arrays; the tracers that stand for arrays inside transformed functions, so that they can be refused."""
    return _is_tracer(cls) or ((array := class_of("jax", "Array")) is not None and issubclass(cls, array))


def _is_tracer(cls: type) -> bool:
    tracer = class_of("jax.core", "Tracer")
    return tracer is not None and issubclass(cls, tracer)


def expose(obj: Any, request: Request) -> Exposure:
    """The array's own memory on the CPU, read-only; its shards if it lies on several devices."""
    if _is_tracer(type(obj)):
        raise UnsupportedSourceError(
            f"cannot convert JAX tracer {type(obj).__name__} of {obj.aval}",
            why="inside jit, grad or vmap it stands for values that do not exist yet",
            fix="convert outside the transformed function, or use jax.pure_callback",
        )
    if obj.is_deleted():
        raise UnusableBufferError(
            f"cannot read JAX array of shape {obj.shape}",
            why="it was deleted or donated, so its memory belongs to something else",
            fix="convert it before it is donated, or keep a copy with jax.numpy.array(x, copy=True)",
        )
    _require_numbers(obj)
    platforms = {device.platform for device in obj.sharding.device_set}
    if len(obj.sharding.device_set) > 1:
        return _gathered(obj, platforms)
    return _on_cpu(obj) if platforms == {"cpu"} else dlpack.expose(obj, request)


def _require_numbers(obj: Any) -> None:
    name = str(obj.dtype)
    if name in DTYPES:
        return
    keys = name.startswith("key<")
    raise UnsupportedSourceError(
        f"cannot convert JAX array of {name}",
        why="a random key is no number" if keys else "tensors have no such element type",
        fix="take its bits with jax.random.key_data(key)"
        if keys
        else "widen it first, with x.astype('int8' or 'float32')",
    )


def _on_cpu(obj: Any) -> Exposure:
    seen = load("numpy").asarray(obj)
    return Exposure(
        kind="JAX array",
        form="array",
        open=lambda: seen,
        dtype=str(obj.dtype),
        shape=tuple(obj.shape),
        writable=False,
        why_readonly="JAX arrays are immutable, and compiled functions rely on it",
    )


def _gathered(obj: Any, platforms: set[str]) -> Exposure:
    if not obj.is_fully_addressable or platforms != {"cpu"}:
        raise WrongDeviceError(
            f"cannot convert JAX array on {len(obj.sharding.device_set)} {'/'.join(sorted(platforms))} devices",
            why="its parts lie where this process cannot read them, or on several accelerators",
            fix="gather it first, with jax.device_get(x) or multihost_utils.process_allgather(x)",
        )
    numpy = load("numpy")
    shards = [shard for shard in obj.addressable_shards if shard.replica_id == 0]
    return Exposure(
        kind=f"JAX array on {len(obj.sharding.device_set)} devices",
        form="pieces",
        open=lambda: [Piece(values=numpy.asarray(shard.data), place=_plain(shard.index)) for shard in shards],
        dtype=str(obj.dtype),
        shape=tuple(obj.shape),
        why_copy="its shards lie in memories of their own",
    )


def _plain(index: tuple[Any, ...]) -> tuple[slice, ...]:
    return tuple(slice(part.start or 0, part.stop, part.step or 1) for part in index)
