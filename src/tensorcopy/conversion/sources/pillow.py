"""Pillow images: height x width, x channels where there are several, as ``numpy.asarray`` gives them.

Pillow keeps pixels in a layout of its own, so an image is always copied: its encoder writes them once, into memory that
the result then keeps. A lazily opened file is read here. A palette image (mode P) gives its palette indices, as
``numpy.asarray`` does; ``image.convert("RGB")`` gives colours.
"""

from __future__ import annotations

from typing import Any

from ...errors import ProducerError
from ...live.libraries import class_of, load
from ..plan import Exposure, Request

ORDER = 56

_TYPES = {"1": "bool", "I": "int32", "F": "float32"}


def recognises(cls: type) -> bool:
    """Images of every format."""
    image = class_of("PIL.Image", "Image")
    return image is not None and issubclass(cls, image)


def expose(obj: Any, request: Request) -> Exposure:
    """The pixels: bool for mode 1, int32 for I, uint16 for I;16, float32 for F, else uint8."""
    mode = obj.mode
    return Exposure(
        kind=f"Pillow image of mode {mode}" + (" (palette indices)" if mode in ("P", "PA") else ""),
        form="array",
        open=lambda: _pixels(obj),
        dtype=_TYPES.get(mode, "uint16" if mode.startswith("I;16") else "uint8"),
        shape=_shape(obj),
        fresh=True,
        why_copy="Pillow keeps pixels in a layout of its own",
    )


def _shape(image: Any) -> tuple[int, ...]:
    bands = len(image.getbands())
    return (image.height, image.width, bands) if bands > 1 else (image.height, image.width)


def _pixels(image: Any) -> Any:
    """A fresh array of the pixels."""
    numpy = load("numpy")
    try:
        image.load()
        packed = _packed(image)
    except MemoryError:
        raise
    except Exception as error:
        raise ProducerError(
            f"cannot read {type(image).__name__} of mode {image.mode}: {error}",
            why="its file is truncated, damaged or closed, or has no such frame",
            fix="open it again; ImageFile.LOAD_TRUNCATED_IMAGES = True fills in what is missing",
        ) from error
    seen = numpy.frombuffer(packed, _stored_type(image.mode)).reshape(_shape(image))
    if image.mode == "1":
        return seen != 0
    return seen if seen.dtype.isnative and seen.nbytes > 1 else seen.astype(seen.dtype.newbyteorder("="))


def _stored_type(mode: str) -> str:
    if mode.startswith("I;16"):
        return {"I;16B": ">u2", "I;16N": "=u2"}.get(mode, "<u2")
    return {"I": "=i4", "F": "=f4"}.get(mode, "u1")


def _packed(image: Any) -> bytes:
    """The pixels row by row, in bytes that nothing else holds; bytes instead of bits for mode 1.

    As ``image.tobytes()``, which joins blocks of 64 KB, but in one block where Pillow's encoder can be had.
    """
    rawmode = "L" if image.mode == "1" else image.mode
    encoder_of = getattr(load("PIL.Image"), "_getencoder", None)
    if encoder_of is None or not image.width or not image.height:
        return bytes(image.tobytes("raw", rawmode))
    encoder = encoder_of(image.mode, "raw", rawmode)
    try:
        encoder.setimage(image.im, (0, 0, *image.size))
        return _encoded(encoder, image)
    finally:
        encoder.cleanup()


def _encoded(encoder: Any, image: Any) -> bytes:
    width = 4 if image.mode in "IF" else 2 if image.mode.startswith("I;16") else 1
    size = image.width * image.height * len(image.getbands()) * width
    blocks, status = [], 0
    while not status:
        _, status, block = encoder.encode(size)
        blocks.append(block)
    if status < 0:
        raise ValueError(f"encoder error {status}")
    return b"".join(blocks)
