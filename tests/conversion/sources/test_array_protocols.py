from __future__ import annotations

import sys

import numpy as np
import pytest

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


class Method:
    """Has ``__array__``, and gives the same array each time."""

    def __init__(self, array, **attributes):
        self.given = array
        vars(self).update(attributes)

    def __array__(self, dtype=None, copy=None):
        return self.given


class Anew:
    """Has ``__array__``, and makes another array each time."""

    shape = (2, 3)

    def __array__(self, dtype=None, copy=None):
        return np.arange(6).reshape(2, 3)


class Interface:
    """Has ``__array_interface__`` as an attribute of its own."""

    def __init__(self, array, **changes):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **changes}


class Property:
    """Has ``__array_interface__`` as a property, and is a sequence too."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        return self.array[index]

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class Struct:
    def __init__(self, array):
        self.array = array

    @property
    def __array_struct__(self):
        return self.array.__array_struct__


def read_only(array):
    array.flags.writeable = False
    return array


def sample(name, build, expected, dtype, shares="yes", **more):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, shares=shares, **more)


SAMPLES = (
    sample("__array__", lambda: Method(np.array([0.5, 2])), [0.5, 2], "float64"),
    sample("__array__, new each time", Anew, [[0, 1, 2], [3, 4, 5]], "int64", "no"),
    sample("__array__, read-only", lambda: Method(read_only(np.arange(3))), [0, 1, 2], "int64", "readonly"),
    sample("__array__, reversed", lambda: Method(np.arange(3)[::-1]), [2, 1, 0], "int64", "no"),
    sample("__array__ of objects", lambda: Method(np.array([1, 2], object)), [1, 2], "int64", "no"),
    sample(
        "__array__, masked",
        lambda: Method(np.ma.array([1, 2], mask=[0, 1])),
        [1, 7],
        "int64",
        "no",
        options=(("null", 7),),
    ),
    sample("__array_interface__", lambda: Interface(np.arange(3.0)), [0.0, 1.0, 2.0], "float64"),
    sample("__array_interface__, strided", lambda: Interface(np.arange(6)[::2]), [0, 2, 4], "int64"),
    sample("__array_interface__, big-endian", lambda: Interface(np.array([1, 2], ">i4")), [1, 2], "int32", "no"),
    sample(
        "__array_interface__ of bytes",
        lambda: Interface(np.arange(2), data=b"\1\2", typestr="|u1"),
        [1, 2],
        "uint8",
        "readonly",
    ),
    sample("__array_interface__ of a sequence", lambda: Property(np.arange(3)), [0, 1, 2], "int64"),
    sample("__array_struct__", lambda: Struct(np.arange(3)), [0, 1, 2], "int64"),
)


def test_an_array_made_for_the_call_is_kept_and_not_copied_again():
    made = []

    class Counting(Anew):
        def __array__(self, dtype=None, copy=None):
            made.append(1)
            return super().__array__()

    plan = tc.plan(Counting(), to="torch")
    assert plan.route == "adopt"
    assert not plan.shares
    made.clear()
    assert tc.to_torch(Counting()).shape == (2, 3)
    assert made == [1]


def test_an_array_that_the_object_keeps_is_not_taken_for_a_new_one():
    kept = Method(np.arange(6).reshape(2, 3))
    assert tc.plan(kept, to="torch").shares
    tc.share(kept).fill_(9)
    assert kept.given.tolist() == [[9] * 3] * 2


@pytest.mark.parametrize("given", [[1, 2], None, 3.5, "text"], ids=repr)
def test_what_is_no_array_is_refused(given):
    with pytest.raises(
        tc.errors.ProducerError, match=rf"Method.__array__ gave a {type(given).__name__} instead of an array"
    ):
        tc.to_torch(Method(given))


def test_an_error_inside_is_passed_on_as_the_objects():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("out of order")

    class BrokenProperty:
        @property
        def __array_interface__(self):
            raise RuntimeError("out of order")

    for broken, method in ((Broken(), "__array__"), (BrokenProperty(), "__array_interface__")):
        with pytest.raises(tc.errors.ProducerError, match=rf"{method} raised RuntimeError: out of order") as caught:
            tc.to_torch(broken)
        assert isinstance(caught.value.__cause__, RuntimeError)


def test_an_object_that_contradicts_its_array_is_refused():
    with pytest.raises(tc.errors.ProducerError, match=r"__array__ gave shape \(3,\), the object says \(4,\)"):
        tc.to_torch(Method(np.arange(3), shape=(4,)))


def test_a_hidden_mask_is_not_dropped():
    with pytest.raises(tc.errors.LossyConversionError, match="1 masked of 2 elements"):
        tc.to_torch(Method(np.ma.array([1, 2], mask=[0, 1])))
    with pytest.raises(tc.errors.LossyConversionError, match="__array_interface__ has a mask"):
        tc.to_torch(Interface(np.arange(2), mask=np.array([True, False])))


@pytest.mark.parametrize(
    ("changes", "how"),
    [
        ({"data": (0, False)}, "address 0 for 6 elements"),
        ({"data": (-8, False)}, "address -8 for 6 elements"),
        ({"data": b"123"}, "3 bytes of data for elements from 0 to 48"),
        ({"data": b"1" * 48, "strides": (-8,)}, "48 bytes of data for elements from -40 to 8"),
        ({"data": b"1" * 48, "strides": (16,)}, "48 bytes of data for elements from 0 to 88"),
        ({"data": "text"}, "TypeError: memoryview"),
        ({"data": None}, "TypeError: memoryview"),
        ({"shape": (-6,)}, r"shape \(-6,\)"),
        ({"shape": 6}, "TypeError: 'int' object is not iterable"),
        ({"shape": ("6",)}, "TypeError: 'str' object cannot be interpreted as an integer"),
        ({"shape": (1,) * 65}, "shape"),
        ({"strides": (8, 8)}, r"strides \(8, 8\)"),
        ({"typestr": "zz"}, "TypeError: data type 'zz' not understood"),
        ({"typestr": "|O8"}, r"elements '\|O8'"),
        ({"typestr": None}, "TypeError: data type 'None' not understood"),
    ],
    ids=str,
)
def test_an_interface_that_describes_no_array_is_refused(changes, how):
    with pytest.raises(tc.errors.TensorcopyError, match=how) as caught:
        tc.to_torch(Interface(np.arange(6.0), **changes))
    assert isinstance(caught.value, tc.errors.ProducerError)


def test_an_interface_without_its_keys_is_refused():
    empty = Interface(np.arange(3))
    empty.__array_interface__ = {}
    with pytest.raises(tc.errors.ProducerError, match="KeyError: 'typestr'"):
        tc.to_torch(empty)


def test_the_object_lives_as_long_as_the_result():
    result = tc.to_torch(Interface(np.arange(1000)))
    others = [np.full(1000, -1) for _ in range(20)]
    assert result.tolist() == list(range(1000))
    del others


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes can offer a buffer since Python 3.12")
def test_a_class_with_a_buffer_is_read():
    class Buffer:
        def __init__(self):
            self.held = bytearray([1, 2])

        def __buffer__(self, flags):
            return memoryview(self.held)

    assert tc.to_torch(Buffer()).tolist() == [1, 2]


def test_an_object_on_a_gpu_is_refused_where_torch_has_none():
    import torch

    class OnGpu:
        @property
        def __cuda_array_interface__(self):
            raise AssertionError("asked")

    if torch.cuda.is_available():
        pytest.skip("needs a torch without CUDA")
    with pytest.raises(tc.errors.WrongDeviceError, match="OnGpu, which lies on a GPU"):
        tc.to_torch(OnGpu())
