from __future__ import annotations

import ctypes
import subprocess
import sys
import textwrap
from types import ModuleType

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tests.conversion.sources.samples import Sample


class Producer:
    """Hands out the memory of an array or tensor, as array libraries do."""

    def __init__(self, array, **attributes):
        self.array = array
        vars(self).update(attributes)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


class Unversioned(Producer):
    """Speaks the protocol before it had versions."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class Saying(Producer):
    """Gives whatever it was told to."""

    def __dlpack__(self, **options):
        return self.array() if callable(self.array) else self.array


def read_only(array):
    array.flags.writeable = False
    return array


def sample(name, build, expected, dtype, shares="yes"):
    return Sample(name=name, build=build, expected=expected, dtype=dtype, shares=shares)


SAMPLES = (
    sample("array", lambda: Producer(np.array([0.5, 2])), [0.5, 2], "float64"),
    sample("matrix", lambda: Producer(np.array([[1, 2], [3, 4]])), [[1, 2], [3, 4]], "int64"),
    sample("columns first", lambda: Producer(np.array([[1, 2], [3, 4]]).T), [[1, 3], [2, 4]], "int64"),
    sample("every second", lambda: Producer(np.arange(6)[::2]), [0, 2, 4], "int64"),
    sample("no dimensions", lambda: Producer(np.array(2.5)), 2.5, "float64"),
    sample("empty", lambda: Producer(np.empty((0, 3), "float32")), np.empty((0, 3)), "float32"),
    sample("bool", lambda: Producer(np.array([True, False])), [True, False], "bool"),
    sample("complex", lambda: Producer(np.array([1 + 2j])), [1 + 2j], "complex128"),
    sample("uint64", lambda: Producer(np.array([1, 2], "uint64")), [1, 2], "uint64"),
    sample("tensor", lambda: Producer(torch.arange(3.0)), [0.0, 1.0, 2.0], "float32"),
    sample("bfloat16", lambda: Producer(torch.arange(3.0).bfloat16()), [0.0, 1.0, 2.0], "bfloat16"),
    sample("float8", lambda: Producer(torch.arange(3.0).to(torch.float8_e5m2)), [0.0, 1.0, 2.0], "float8_e5m2"),
    sample("reversed", lambda: Producer(np.arange(3)[::-1]), [2, 1, 0], "int64", "no"),
    sample("read-only", lambda: Producer(read_only(np.arange(3))), [0, 1, 2], "int64", "readonly"),
    sample("before versions", lambda: Unversioned(np.arange(3)), [0, 1, 2], "int64", "readonly"),
)


def test_the_memory_lives_as_long_as_the_result():
    result = tc.to_torch(Producer(np.arange(1000.0)))
    others = [np.full(1000, -1.0) for _ in range(20)]
    assert result.tolist() == list(map(float, range(1000)))
    del others


def test_the_result_is_the_last_to_let_the_memory_go():
    import weakref

    class Owner(np.ndarray):
        pass

    array = np.arange(3.0).view(Owner)
    gone = weakref.ref(array)
    result = tc.to_torch(Producer(array))
    del array
    assert gone() is not None
    assert result.sum() == 3
    del result
    assert gone() is None


def test_an_error_inside_is_passed_on_as_the_producers():
    class Broken(Producer):
        def __dlpack__(self, **options):
            raise RuntimeError("out of order")

    with pytest.raises(tc.errors.ProducerError, match=r"Broken.__dlpack__\(\) raised RuntimeError: out of order"):
        tc.to_torch(Broken(None))


def test_a_conjugate_bit_behind_a_producer_is_refused_by_torch_itself():
    with pytest.raises(tc.errors.ProducerError, match=r"raised BufferError: .*conjugate bit"):
        tc.to_torch(Producer(torch.tensor([1j]).conj()))


def test_a_device_method_that_gives_nonsense_is_refused():
    class Lost(Producer):
        def __dlpack_device__(self):
            return None

    with pytest.raises(tc.errors.ProducerError, match=r"Lost.__dlpack_device__\(\) raised TypeError"):
        tc.to_torch(Lost(np.arange(3)))


def test_a_capsule_that_somebody_took_is_refused():
    capsule = torch.arange(3.0).__dlpack__()
    torch.from_dlpack(capsule)
    with pytest.raises(tc.errors.ProducerError, match="it was taken by somebody else"):
        tc.to_torch(Saying(capsule))


def test_what_is_no_capsule_is_refused():
    for nothing in (None, 3, np.arange(3)):
        with pytest.raises(tc.errors.ProducerError, match="not a capsule"):
            tc.to_torch(Saying(nothing))


def test_a_capsule_of_something_else_is_refused():
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    with pytest.raises(tc.errors.ProducerError, match="it is called b'arrow_array'"):
        tc.to_torch(Saying(new(64, b"arrow_array", None)))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


KEPT = []
"""What forged capsules point at."""


def forged(shape=(3,), strides=None, **fields):
    """A capsule that says what it is told to, over three float64 numbers."""
    numbers = (ctypes.c_double * 3)(1, 2, 3)
    sizes = (ctypes.c_int64 * 64)(*shape)
    steps = None if strides is None else (ctypes.c_int64 * 64)(*strides)
    said = {"data": ctypes.addressof(numbers), "device_type": 1, "ndim": len(shape), "code": 2, "bits": 64, "lanes": 1}
    tensor = Tensor(**{**said, **fields}, shape=sizes, strides=steps)
    KEPT.extend((numbers, sizes, steps, tensor))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(tensor), b"dltensor", None)


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ({"data": None}, "it gives no address for 3 elements"),
        ({"shape": (-3,)}, r"it claims the shape \(-3,\)"),
        ({"ndim": -1}, "it claims -1 dimensions"),
        ({"ndim": 65}, "it claims 65 dimensions"),
        ({"shape": (2**40, 2**40)}, "it claims 1208925819614629174706176 elements"),
        ({"lanes": 4}, "64 bits in 4 lanes"),
        ({"bits": 4}, "4 bits in 1 lanes"),
        ({"code": 77}, "type code 77 with 64 bits"),
        ({"device_type": 2}, "it lies on device cuda:0, not on the one of __dlpack_device__"),
    ],
    ids=str,
)
def test_a_capsule_that_makes_no_sense_is_refused(said, how):
    with pytest.raises(tc.errors.ProducerError, match=how):
        tc.to_torch(Saying(forged(**said)))


def test_an_honest_capsule_made_by_hand_is_read():
    assert tc.to_numpy(Saying(forged())).tolist() == [1.0, 2.0, 3.0]
    assert tc.to_numpy(Saying(forged(byte_offset=8, shape=(2,)))).tolist() == [2.0, 3.0]
    assert tc.to_torch(Saying(forged(data=KEPT[-4] and ctypes.addressof(KEPT[-4]) + 16, strides=(-1,)))).tolist() == [
        3.0,
        2.0,
        1.0,
    ]


def test_reversed_elements_that_only_torch_has_are_refused():
    halves = (ctypes.c_uint16 * 3)(1, 2, 3)
    KEPT.append(halves)
    capsule = forged(data=ctypes.addressof(halves) + 4, code=4, bits=16, strides=(-1,))
    with pytest.raises(tc.errors.ProducerError, match=r"gave the strides \(-2,\).*ends the process"):
        tc.to_torch(Saying(capsule))


def test_elements_that_tensors_do_not_have_are_refused():
    with pytest.raises(tc.errors.UnsupportedSourceError, match=r"cannot convert .*Saying of float128"):
        tc.to_torch(Saying(forged(bits=128)))


def test_an_object_that_contradicts_its_capsule_is_refused():
    with pytest.raises(tc.errors.ProducerError, match=r"gave shape \(3,\), the object says \(4,\)"):
        tc.to_torch(Producer(np.arange(3), shape=(4,)))
    assert tc.to_torch(Producer(np.arange(3), shape=(3,))).tolist() == [0, 1, 2]


def test_no_reversed_memory_ever_reaches_torch():
    program = """
        import numpy as np, torch, tensorcopy as tc
        class Producer:
            def __init__(self, array): self.array = array
            def __dlpack__(self, **options): return self.array.__dlpack__(**options)
            def __dlpack_device__(self): return (1, 0)
        reversed_ = np.arange(6.0)[::-1]
        for source in (Producer(reversed_), Producer(reversed_.reshape(2, 3)[:, ::-1]), reversed_):
            for to in (tc.to_torch, tc.to_numpy):
                assert to(source).sum() == 15
            for options in ({}, {"readonly": True}):
                try:
                    tc.share(source, "torch", **options)
                except tc.errors.CannotShareError as error:
                    assert "negative stride" in str(error)
                else:
                    raise AssertionError("shared")
    """
    path = {"PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(program)], check=True, env=path)


def test_a_device_that_torch_cannot_reach_is_refused_before_anything_is_asked():
    class OnGpu(Producer):
        def __dlpack__(self, **options):
            raise AssertionError("asked")

        def __dlpack_device__(self):
            return (8, 0)

    with pytest.raises(tc.errors.WrongDeviceError, match=r"on device metal:0 · torch .* cannot address"):
        tc.to_torch(OnGpu(None))
    with pytest.raises(tc.errors.WrongDeviceError, match="NumPy addresses the CPU only"):
        tc.to_numpy(OnGpu(None))


@pytest.fixture
def stand_in_for_cupy(monkeypatch):
    """A module named ``cupy`` whose arrays say that they lie on a GPU: no CuPy, only what this project calls of it."""

    class ndarray:
        def __init__(self, values):
            self.values, self.shape, self.dtype = values, values.shape, values.dtype

        def __dlpack__(self, **options):
            return self.values.__dlpack__(**options)

        def __dlpack_device__(self):
            return (2, 0)

        def get(self):
            return self.values.copy()

    module = ModuleType("cupy")
    ndarray.__module__ = "cupy"
    module.ndarray = ndarray
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def test_a_cupy_array_is_brought_to_numpy_by_its_own_get(stand_in_for_cupy):
    array = stand_in_for_cupy.ndarray(np.arange(3.0))
    assert tc.to_numpy(array).tolist() == [0.0, 1.0, 2.0]
    assert tc.to_numpy(array, dtype="float32").dtype == "float32"
    with pytest.raises(tc.errors.WrongDeviceError, match="it lies on another device"):
        tc.to_numpy(array, copy=False)


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a torch without CUDA")
def test_a_cupy_array_is_refused_where_torch_has_no_gpu(stand_in_for_cupy):
    with pytest.raises(tc.errors.WrongDeviceError, match=r"cannot convert cupy.ndarray on device cuda:0"):
        tc.to_torch(stand_in_for_cupy.ndarray(np.arange(3.0)))
