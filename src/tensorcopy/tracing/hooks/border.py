"""The functions by which values come into torch from NumPy and Python, and leave it: wrapped for a session."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.utils.data.dataloader

from ..judging.gradients import Operation
from ..judging.tensors import PLAIN, address_of
from ..patches import Patches
from ..sites import NOWHERE, OWN_FOLDER, Site, is_library, user_site
from .dispatching import DISPATCH

if TYPE_CHECKING:
    from ..session import Session

_CONVERTERS = ("tensor", "as_tensor", "from_numpy", "asarray", "from_dlpack", "frombuffer")
_NUMBERS = (int, float, bool)
_SEQUENCES = (list, tuple)


class Border:
    """Tells the session's judges of every value that crosses."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def wrap(self, patches: Patches) -> None:
        """Wrap all of them."""
        for name in _CONVERTERS:
            patches.wrap(torch, name, lambda original, name=name: self._converter(name, original))  # type: ignore[misc]
        patches.wrap(torch.Tensor, "numpy", self._exporter)
        patches.wrap(np, "from_dlpack", self._exporter)
        patches.wrap(torch.Tensor, "tolist", self._lister)
        patches.wrap(torch.utils.data.dataloader._BaseDataLoaderIter, "__next__", self._loader)
        patches.wrap(torch.Tensor, "__new__", self._constructor)
        patches.wrap(torch.Tensor, "__setattr__", self._setter)
        patches.wrap(warnings, "showwarning", _at_the_users_line)

    def _converter(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        session, operation, crossing = self.session, Operation(name), f"torch.{name}"
        attention, calls = session.attention, session.calls

        def convert(*args: Any, **kwargs: Any) -> Any:
            if session.resting or attention.away:
                return original(*args, **kwargs)
            data = args[0] if args else kwargs.get("data", kwargs.get("obj"))
            numbers, site = _are_numbers(data), user_site()
            # What is looked at here is not to be heard as a call, which would cost more than the looking. What comes
            # from outside is counted here, and not once more where torch makes it.
            resume, outside = calls.end(), type(data) not in PLAIN
            if outside:
                DISPATCH.pause_copies()
            try:
                if not numbers:
                    self._converting(name, data, args, kwargs, site)
                result = original(*args, **kwargs)
                if type(result) in PLAIN:
                    (self._made if numbers else self._converted)(operation, crossing, data, result, site)
                return result
            finally:
                if resume:
                    calls.begin()
                if outside:
                    DISPATCH.resume_copies()

        return convert

    def _converting(self, name: str, data: Any, args: tuple[Any, ...], kwargs: dict[str, Any], site: Site) -> None:
        try:
            dtype = kwargs.get("dtype", args[1] if len(args) > 1 else None)
            self.session.conversions.converting(name, data, dtype, site)
        except Exception as error:
            self.session.attention.failed(error)

    def _made(self, operation: Operation, crossing: str, data: Any, result: Any, site: Site) -> None:
        """A tensor was made of a number or of a list of numbers, the most frequent of all, so that it is done apart."""
        session = self.session
        try:
            if type(data) in _SEQUENCES:
                tally = session.copies.copied(crossing, result.nbytes, site, "data", "list to tensor")
                if len(data) > 1 or result.dtype is torch.float64:
                    session.conversions.converted(operation.name, data, result, site)
                    session.sparing.from_list(result, tally, site)
            if session.gradients.escaped and session.full:
                session.gradients.operated(operation, (data,), result)
        except Exception as error:
            session.attention.failed(error)

    def _converted(self, operation: Operation, crossing: str, data: Any, result: Any, site: Site) -> None:
        session, name = self.session, operation.name
        try:
            session.conversions.converted(name, data, result, site)
            if isinstance(data, np.ndarray):
                self._from_array(name, crossing, data, result, site)
                return
            if name == "frombuffer":
                session.memory.shared(result, data, name, site)
            elif type(data) in _SEQUENCES:
                tally = session.copies.copied(crossing, result.nbytes, site, "data", "list to tensor")
                session.sparing.from_list(result, tally, site)
            elif type(data) in PLAIN and name != "tensor" and address_of(data) == address_of(result) != 0:
                session.memory.made(result, name, data, site)
            if session.full:
                session.gradients.operated(operation, (data,), result)
        except Exception as error:
            session.attention.failed(error)

    def _from_array(self, name: str, crossing: str, data: Any, result: Any, site: Site) -> None:
        session = self.session
        # torch can give memory of its own another size, and no other.
        if name == "tensor" or result.untyped_storage().resizable():
            tally = session.copies.copied(crossing, result.nbytes, site, "data", "NumPy to torch")
            session.sparing.from_array(name, data, result, tally, site)
        else:
            session.memory.shared(result, data, name, site)
            session.sparing.through_array(data, result, site)
        session.gradients.came_back(result)

    def _constructor(self, original: Callable[..., Any]) -> Callable[..., Any]:
        session, operation = self.session, Operation("Tensor")

        def construct(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if cls is not torch.Tensor or session.attention.away:
                return original(cls, *args, **kwargs)
            with session.attention:
                session.conversions.constructed(args, user_site())
            result = original(cls, *args, **kwargs)
            if args and type(args[0]) in (list, tuple):
                with session.attention:
                    session.gradients.operated(operation, args, result)
            return result

        return construct

    def _exporter(self, original: Callable[..., Any]) -> Callable[..., Any]:
        session, operation = self.session, Operation("numpy")

        def numpy(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            array = original(tensor, *args, **kwargs)
            if session.resting or session.attention.away or type(tensor) not in PLAIN or type(array) is not np.ndarray:
                return array
            with session.attention:
                if session.full:
                    session.gradients.operated(operation, (tensor,), array)
                start = address_of(tensor)
                if start and array.nbytes and (_within(start, array) or address_of(array) >= start):
                    site = user_site()
                    session.memory.shared(tensor, array, "numpy", site)
                    session.sparing.exported(tensor, array, site)
            return array

        return numpy

    def _lister(self, original: Callable[..., Any]) -> Callable[..., Any]:
        session = self.session

        def tolist(tensor: Any) -> Any:
            if not session.resting and not session.attention.away and type(tensor) in PLAIN:
                with session.attention:
                    session.copies.copied("tolist", tensor.nbytes, user_site(), "data", "tensor to list")
            return original(tensor)

        return tolist

    def _loader(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """What is copied while a loader makes its next batch belongs to the data."""
        copies = self.session.copies

        def load(iterator: Any) -> Any:
            before, copies.phase = copies.phase, "data"
            try:
                return original(iterator)
            finally:
                copies.phase = before

        return load

    def _setter(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def set_attribute(tensor: Any, name: str, value: Any) -> None:
            original(tensor, name, value)
            self.session.conversions.attribute_set(name)

        return set_attribute


def _are_numbers(data: Any) -> bool:
    """Whether it is a number, or a list that begins and ends with one."""
    kind = type(data)
    if kind in _SEQUENCES:
        return len(data) > 0 and type(data[0]) in _NUMBERS and type(data[-1]) in _NUMBERS
    return kind in _NUMBERS


def _at_the_users_line(original: Callable[..., Any]) -> Callable[..., Any]:
    """torch warns at the Python line that called it, which is this folder while a session looks: name the program's."""

    def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
        site = user_site() if is_library(filename) and filename.startswith(OWN_FOLDER) else NOWHERE
        if site is not NOWHERE:
            filename, lineno, line = site.file, site.line, None
        original(message, category, filename, lineno, file, line)

    return show


def _within(address: int, array: Any) -> bool:
    """Whether an address lies in the memory of an array or of what it is a view of."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    start = base.__array_interface__["data"][0]
    return bool(start <= address < start + max(base.nbytes, 1))
