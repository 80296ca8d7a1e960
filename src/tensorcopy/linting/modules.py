"""Which linted file an ``import`` means: packages, ``src`` folders, namespace packages and scripts beside each other.

Only names of files are looked at. A name that several files could mean, and nothing decides between them, means none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_NOT_OURS = frozenset(sys.stdlib_module_names) | {
    "torch", "numpy", "jax", "jaxlib", "pandas", "polars", "pyarrow", "PIL", "cupy", "tensorcopy", "scipy", "sklearn",
    "torchvision", "torchaudio", "tensorflow", "matplotlib", "pytest",
}  # fmt: skip
_SOURCE_FOLDERS = ("src", "lib", "python")


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A file as a module: its dotted name, and the folder that has to be on ``sys.path`` for that name.

    dotted: the name from which relative imports start, which for a file in no package is that from the nearest root.
    """

    file: str
    name: str
    dotted: str
    root: str
    is_package: bool
    is_script: bool


@dataclass(slots=True)
class Modules:
    """The linted files by the names that an import can call them.

    roots: folders that are on ``sys.path`` by custom: the working folder and the folders that were named.
    """

    files: Iterable[str]
    roots: Iterable[str] = (".",)
    _anchors: list[str] = field(default_factory=list, init=False)
    _packages: dict[str, bool] = field(default_factory=dict, init=False)
    _by_file: dict[str, Module] = field(default_factory=dict, init=False)
    _by_name: dict[str, list[Module]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        anchors = {_in_full(root) for root in self.roots if os.path.isdir(root)}
        anchors |= {os.path.join(anchor, name) for anchor in anchors for name in _SOURCE_FOLDERS}
        self._anchors = sorted(anchors, key=len, reverse=True)
        for file in self.files:
            module = self._module(file)
            self._by_file[file] = module
            for name in {module.name, *self._names_from_anchors(file)}:
                self._by_name.setdefault(name, []).append(module)

    def of(self, file: str) -> Module:
        """What a linted file is as a module."""
        found = self._by_file.get(file)
        return self._module(file) if found is None else found

    def find(self, name: str, importer: Module) -> str | None:
        """The linted file that *name*, a dotted name in full, means in the file *importer*; None for any other."""
        top = name.partition(".")[0]
        if top in _NOT_OURS and top != importer.name.partition(".")[0]:
            return None
        found = [m for m in self._by_name.get(name, ()) if m.file != importer.file and _is_visible(m, name, importer)]
        if len(found) > 1:
            same = [module for module in found if module.root == importer.root]
            found = same or found
        return found[0].file if len(found) == 1 else None

    def _module(self, file: str) -> Module:
        folder, name = os.path.split(_in_full(file))
        stem = name.rpartition(".")[0] or name
        is_package = stem == "__init__"
        parts = [] if is_package else [stem]
        is_script = not self._is_package(folder)
        while self._is_package(folder):
            folder, last = os.path.split(folder)
            parts.append(last)
        dotted = ".".join(reversed(parts)) if parts else os.path.basename(folder)
        full = next(self._names_from_anchors(file), dotted) if is_script else dotted
        return Module(file=file, name=dotted, dotted=full, root=folder, is_package=is_package, is_script=is_script)

    def _names_from_anchors(self, file: str) -> Iterator[str]:
        """The dotted names of a file below folders that are on the path by custom, the shortest first."""
        path = _in_full(file).rpartition(".")[0].removesuffix(os.sep + "__init__")
        for anchor in self._anchors:
            prefix = anchor.rstrip(os.sep) + os.sep
            if path.startswith(prefix):
                yield path[len(prefix) :].replace(os.sep, ".")

    def _is_package(self, folder: str) -> bool:
        known = self._packages.get(folder)
        if known is None:
            known = os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder
            self._packages[folder] = known
        return known


def _is_visible(module: Module, name: str, importer: Module) -> bool:
    """A script's own name is known only beside it; its name from a root is known everywhere."""
    return not module.is_script or name != module.name or module.root == importer.root


def _in_full(path: str) -> str:
    return os.path.abspath(path)
