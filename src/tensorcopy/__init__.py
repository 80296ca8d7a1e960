"""tensorcopy: copy, share and convert tensors on purpose.

Names are loaded when first used, so that ``import tensorcopy`` costs milliseconds and imports neither torch nor NumPy.

PYTEST_DONT_REWRITE: pytest would warn where the package of its plugin is loaded already, as under ``tensorcopy run``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "copy": "conversion.copying",
    "share": "conversion.converting",
    "to_torch": "conversion.converting",
    "to_numpy": "conversion.converting",
    "convert": "conversion.converting",
    "plan": "conversion.planning",
    "collate": "conversion.collating",
    "use_huge_pages": "conversion.allocation",
    "Plan": "conversion.plan",
    "inspect": "inspection",
    "relation": "inspection",
    "protect": "inspection",
    "check": "linting",
    "compare": "benchmarking",
    "trace": "tracing.tracing",
    "TensorcopyError": "errors",
}

__all__ = [*_HOMES, "__version__", "errors", "testing"]

if TYPE_CHECKING:
    from . import errors as errors
    from . import testing as testing
    from .benchmarking import compare as compare
    from .conversion.allocation import use_huge_pages as use_huge_pages
    from .conversion.collating import collate as collate
    from .conversion.converting import convert as convert
    from .conversion.converting import share as share
    from .conversion.converting import to_numpy as to_numpy
    from .conversion.converting import to_torch as to_torch
    from .conversion.copying import copy as copy
    from .conversion.plan import Plan as Plan
    from .conversion.planning import plan as plan
    from .errors import TensorcopyError as TensorcopyError
    from .inspection import inspect as inspect
    from .inspection import protect as protect
    from .inspection import relation as relation
    from .linting import check as check
    from .tracing.tracing import trace as trace


def __getattr__(name: str) -> Any:
    if name in ("errors", "testing", "catalogue"):
        return import_module(f".{name}", __name__)
    if name in ("load_ipython_extension", "unload_ipython_extension"):
        return getattr(import_module(".jupyter", __name__), name)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
