"""Recognise the array libraries through ``sys.modules``, and import one only when it is asked for.

An object of a library can exist only if that library is loaded, so looking there never misses one and never costs an
import.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from ..errors import MissingLibraryError

_EXTRAS = {"torch": "'tensorcopy[torch]'", "numpy": "'tensorcopy[torch]'", "PIL": "pillow"}


def loaded(name: str) -> ModuleType | None:
    """The module *name* if the program has imported it already, else None."""
    module = sys.modules.get(name)
    if module is None or _complete.get(name) is module:
        return module
    if _is_half_loaded(module):
        return None
    _complete[name] = module
    return module


def _is_half_loaded(module: Any) -> bool:
    """Whether *module* is being imported at this moment, here or in another thread."""
    return getattr(getattr(module, "__spec__", None), "_initializing", False) is True


def load(name: str) -> Any:
    """The module *name*, imported now if need be; `MissingLibraryError` says what to install.

    While another thread imports it, this waits until that is done.
    """
    module = sys.modules.get(name)
    if module is not None:
        if _complete.get(name) is module:
            return module
        if not _is_half_loaded(module):
            _complete[name] = module
            return module
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibraryError(
            f"cannot import {name}: {error}",
            why=f"this conversion makes or reads objects of {name}",
            fix=f"pip install {_EXTRAS.get(name, name)}",
        ) from error


_complete: dict[str, ModuleType] = {}
"""Modules that were seen to be whole, which they stay; looking into their import machinery again would cost more."""


def class_of(module: str, name: str) -> Any:
    """The class ``module.name``, or None while its library is not (or not completely) loaded."""
    return getattr(sys.modules.get(module), name, None)


def is_instance(obj: object, module: str, name: str) -> bool:
    """Whether *obj* is a ``module.name``, decided without importing the library."""
    cls = class_of(module, name)
    return cls is not None and isinstance(obj, cls)


def is_tensor(obj: object) -> bool:
    """Whether *obj* is a ``torch.Tensor`` (of any subclass); not so a mock that only says that it is one."""
    cls = class_of("torch", "Tensor")
    return cls is not None and issubclass(type(obj), cls)


def is_ndarray(obj: object) -> bool:
    """Whether *obj* is a ``numpy.ndarray`` (of any subclass); not so a mock that only says that it is one."""
    cls = class_of("numpy", "ndarray")
    return cls is not None and issubclass(type(obj), cls)


def is_numpy_scalar(obj: object) -> bool:
    """Whether *obj* is a NumPy scalar, such as ``np.float32(1)``."""
    cls = class_of("numpy", "generic")
    return cls is not None and issubclass(type(obj), cls)


def is_mock(cls: type) -> bool:
    """Whether *cls* is one of ``unittest.mock``, whose instances have every method that anybody asks for."""
    mock = class_of("unittest.mock", "NonCallableMock")
    return mock is not None and issubclass(cls, mock)


def defines(cls: type, name: str) -> bool:
    """Whether instances of *cls* have the method *name*; unlike ``hasattr``, not fooled by one of the metaclass."""
    return any(name in vars(one) for one in cls.__mro__)
