"""The one thing that pyproject.toml cannot say: optional C extensions. Without a compiler, the install goes on.

Each ``_name.c`` of the package `tensorcopy.conversion` is one, beside Python code that does the same slower.
"""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

_PACKAGE = "src/tensorcopy/conversion"
# They rely on the GIL; a free-threaded interpreter goes without them.
_NEEDS_GIL = {"_reader.c", "_kernels.c"} if sysconfig.get_config_var("Py_GIL_DISABLED") else set()
# The loops are written for this; CFLAGS in the environment would replace Python's own -O3.
_FLAGS = [] if os.name == "nt" else ["-O3"]


def _extension(source: str) -> Extension:
    name = source.removesuffix(".c")
    return Extension(
        f"tensorcopy.conversion.{name}", [f"{_PACKAGE}/{source}"], extra_compile_args=_FLAGS, optional=True
    )


_SOURCES = {path.name for path in (Path(__file__).parent / _PACKAGE).glob("_*.c")}
setup(ext_modules=[_extension(source) for source in sorted(_SOURCES - _NEEDS_GIL)])
