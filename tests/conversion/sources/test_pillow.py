from __future__ import annotations

import io

import numpy as np
import pytest
import torch
from PIL import Image

import tensorcopy as tc
from tests.conversion.sources.samples import Sample

PIXELS = np.random.default_rng(0).integers(0, 255, (3, 4, 4), "uint8")


def small(mode, color, expected, dtype="uint8", **more):
    return Sample(name=mode, build=lambda: Image.new(mode, (2, 1), color), expected=expected, dtype=dtype, **more)


SAMPLES = (
    small("1", 1, [[True, True]], "bool"),
    small("L", 7, [[7, 7]]),
    small("LA", (7, 8), [[[7, 8], [7, 8]]]),
    small("P", 3, [[3, 3]]),
    small("RGB", (1, 2, 3), [[[1, 2, 3], [1, 2, 3]]]),
    small("RGBA", (1, 2, 3, 4), [[[1, 2, 3, 4], [1, 2, 3, 4]]]),
    small("CMYK", (1, 2, 3, 4), [[[1, 2, 3, 4], [1, 2, 3, 4]]]),
    small("YCbCr", (1, 2, 3), [[[1, 2, 3], [1, 2, 3]]]),
    small("I", 200, [[200, 200]], "int32"),
    small("F", 0.5, [[0.5, 0.5]], "float32"),
    small("I;16", 200, [[200, 200]], "uint16"),
    small("I;16B", 200, [[200, 200]], "uint16"),
    Sample(name="one pixel", build=lambda: Image.new("L", (1, 1), 7), expected=[[7]], dtype="uint8"),
    Sample(name="no pixels", build=lambda: Image.new("RGB", (0, 2)), expected=np.empty((2, 0, 3)), dtype="uint8"),
    Sample(
        name="lazily opened file",
        build=lambda: Image.open(png(PIXELS[..., :3])),
        expected=PIXELS[..., :3],
        dtype="uint8",
    ),
)


def png(pixels, upto=None):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return io.BytesIO(file.getvalue()[:upto])


@pytest.mark.parametrize(
    "mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "HSV", "I", "F", "I;16", "RGBX", "PA", "La", "LAB"]
)
def test_every_mode_gives_what_numpy_gives(mode):
    picture = Image.fromarray(PIXELS[..., :3])
    picture = (
        picture.convert(mode)
        if mode in ("1", "L", "LA", "P", "RGBA", "CMYK", "YCbCr", "HSV", "I", "F")
        else Image.new(mode, (4, 3))
    )
    expected = np.asarray(picture)
    for result in (tc.to_torch(picture).numpy(), tc.to_numpy(picture)):
        assert result.dtype == expected.dtype
        assert np.array_equal(result, expected)


def test_booleans_of_a_picture_are_zero_or_one_in_memory():
    result = tc.to_torch(Image.new("1", (2, 1), 1))
    assert result.view(torch.uint8).tolist() == [[1, 1]]


def test_a_large_picture_is_read_whole():
    pixels = np.random.default_rng(1).integers(0, 255, (300, 500, 3), "uint8")
    assert np.array_equal(tc.to_numpy(Image.fromarray(pixels)), pixels)


def test_without_the_encoder_of_pillow_the_public_way_gives_the_same(monkeypatch):
    pixels = np.random.default_rng(1).integers(0, 255, (30, 50, 3), "uint8")
    monkeypatch.delattr(Image, "_getencoder")
    monkeypatch.setattr(Image.Image, "tobytes", lambda image, *_: pixels.tobytes())
    assert np.array_equal(tc.to_numpy(Image.fromarray(pixels)), pixels)


def test_a_picture_of_one_pixel_does_not_change_what_others_share():
    tc.to_torch(Image.new("L", (1, 1), 7)).fill_(9)
    assert bytes([7]) == b"\x07"
    assert list(b"\x07") == [7]


def test_pixels_become_floats_in_the_asked_dtype():
    assert tc.to_torch(Image.new("RGB", (1, 1), (1, 2, 3)), dtype="float32").tolist() == [[[1.0, 2.0, 3.0]]]


def test_a_palette_picture_says_that_it_gives_indices():
    assert "palette indices" in str(tc.plan(Image.new("P", (2, 2)), to="torch"))


def test_a_truncated_file_is_refused():
    with pytest.raises(tc.errors.ProducerError, match=r"image file is truncated.*LOAD_TRUNCATED_IMAGES"):
        tc.to_torch(Image.open(png(np.random.default_rng(1).integers(0, 255, (64, 64, 3), "uint8"), 2000)))


def test_a_closed_file_is_refused():
    picture = Image.open(png(PIXELS[..., :3]))
    picture.close()
    with pytest.raises(tc.errors.ProducerError, match="cannot read PngImageFile of mode RGB"):
        tc.to_torch(picture)


def test_planning_does_not_read_the_file():
    picture = Image.open(png(PIXELS[..., :3], 60))
    assert tc.plan(picture, to="torch").shape == (3, 4, 3)
