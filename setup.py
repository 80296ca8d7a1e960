"""The one thing that pyproject.toml cannot say: optional C extensions. Without a compiler, the install goes on.

Each ``_name.c`` of a package is one, beside Python code that does the same slower.
"""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

_ROOT = Path(__file__).parent
# They rely on the GIL; a free-threaded interpreter goes without them.
_WITHOUT_GIL = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
# The loops are written for this; CFLAGS in the environment would replace Python's own -O3.
_FLAGS = [] if os.name == "nt" else ["-O3"]


def _extension(source: Path) -> Extension:
    name = ".".join(source.relative_to(_ROOT / "src").with_suffix("").parts)
    return Extension(name, [source.relative_to(_ROOT).as_posix()], extra_compile_args=_FLAGS, optional=True)


_SOURCES = [] if _WITHOUT_GIL else sorted((_ROOT / "src" / "tensorcopy").glob("*/_*.c"))
setup(ext_modules=[_extension(source) for source in _SOURCES])
