"""What tracing needs to be installed, asked before anything of it is loaded."""

from __future__ import annotations

from importlib.util import find_spec

from ..errors import MissingLibraryError


def need_torch() -> None:
    """Nothing, where torch and NumPy are installed.

    Raises:
        MissingLibraryError: one is not.
    """
    for name in ("torch", "numpy"):
        if find_spec(name) is None:
            raise MissingLibraryError(
                "nothing can be traced here", why=f"{name} is not installed", fix="pip install 'tensorcopy[torch]'"
            )
