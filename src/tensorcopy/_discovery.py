"""Find the modules of a package: adding a file is all it takes to add a source, a rule, a command or a format."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType


def modules_of(package: ModuleType) -> list[ModuleType]:
    """All public modules of *package*, imported, sorted by name."""
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_"))
    return [import_module(f"{package.__name__}.{name}") for name in names]
