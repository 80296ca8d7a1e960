"""Make arrays read-only while a tensor shares their memory, so that NumPy's write raises at the line that writes.

An array is locked from the conversion that shares it to the death of what it shares with. Locked is the array that was
converted, and what it is a view of where that is no larger: a larger one may be written elsewhere with good reason. A
view that was made before the conversion can still write.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from ...live.aliases import users_of_storage
from ...live.locking import give_permission, take_permission
from ..attention import Attention
from ..judging.tensors import PLAIN, address_of
from ..patches import Patches
from ..sites import Site, user_site

_IMPORTS = ("as_tensor", "from_numpy", "asarray", "from_dlpack", "frombuffer")


class Held:
    """A locked array: its flags before, by which conversion it shares, and with which storages.

    given: the storage that it came out of, among whose users its base counts; 0 if torch was given it.
    """

    __slots__ = ("address", "array", "flags", "given", "how", "nbytes", "site", "storages", "tensor")

    def __init__(self, array: Any, flags: int, forget: Callable[[Any], None]) -> None:
        self.array, self.flags = weakref.ref(array, forget), flags
        self.address, self.nbytes = address_of(array), int(array.nbytes)
        self.how, self.site = "", Site("", 0)
        self.storages: set[int] = set()
        self.given = 0
        self.tensor: Any = None

    def release(self) -> None:
        """Give the array its permission back, if it still lives."""
        array = self.array()
        if array is not None:
            give_permission(array, self.flags)


class Shared:
    """A storage that locked arrays share: their keys, how many of them came out of it, and what watches it die."""

    __slots__ = ("arrays", "given", "storage")

    def __init__(self) -> None:
        self.arrays: set[int] = set()
        self.given = 0
        self.storage: Any = None


class Strictness:
    """The locks of one recording, from `start` to `stop`."""

    def __init__(self, attention: Attention) -> None:
        self.attention = attention
        self.held: dict[int, Held] = {}
        self._patches = Patches()
        self._shared: dict[int, Shared] = {}
        # Storages whose tensor died while others used them still: nobody tells when these die.
        self._waiting: set[int] = set()
        self._hook: Any = None

    def start(self) -> None:
        """Begin to lock what is shared. Comes after the patches of a session, and ends before them."""
        for name in _IMPORTS:
            self._patches.wrap(torch, name, lambda original, name=name: self._importer(name, original))  # type: ignore[misc]
        self._patches.wrap(torch.Tensor, "__new__", lambda original: self._importer("torch.Tensor", original, at=1))
        self._patches.wrap(torch.Tensor, "numpy", lambda original: self._exporter("numpy", original))
        self._patches.wrap(np, "from_dlpack", self._dlpack_exporter)
        self._hook = register_optimizer_step_post_hook(lambda *_: self._look_again())

    def stop(self) -> None:
        """Lock nothing more, and give back every permission."""
        self._patches.undo()
        if self._hook is not None:
            self._hook.remove()
        held, self.held = self.held, {}
        self._shared.clear()
        for one in held.values():
            one.release()

    def over(self, array: Any) -> Iterator[Held]:
        """What is locked in the memory of *array*, the newest first."""
        low = address_of(array)
        high = low + array.nbytes
        return (h for h in reversed(list(self.held.values())) if h.address < high and low < h.address + h.nbytes)

    # --- arrays that torch is given -----------------------------------------------------------------------------------

    def _importer(self, name: str, original: Callable[..., Any], at: int = 0) -> Callable[..., Any]:
        def convert(*args: Any, **kwargs: Any) -> Any:
            data = args[at] if len(args) > at else kwargs.get("data", kwargs.get("obj", kwargs.get("buffer")))
            if not isinstance(data, np.ndarray) or self.attention.away:
                return original(*args, **kwargs)
            self._look_again()
            with self._opened(data):
                tensor = original(*args, **kwargs)
            if type(tensor) in PLAIN:
                with self.attention:
                    self._taken(data, tensor, name, user_site())
            return tensor

        return convert

    @contextmanager
    def _opened(self, array: Any) -> Iterator[None]:
        """Lift our own locks while torch looks at *array*: it warns of read-only memory, and the session notes it."""
        ours = [self.held[id(link)] for link in _chain(array) if self._is_held(link)]
        for one in reversed(ours):
            one.release()
        # A view that was made under the lock is read-only, too.
        inherits = bool(ours) and not array.flags.writeable
        if inherits:
            array.flags.writeable = True
        try:
            yield
        finally:
            if inherits:
                array.flags.writeable = False
            for one in ours:
                take_permission(one.array())

    def _taken(self, array: Any, tensor: Any, how: str, site: Site) -> None:
        start = address_of(array)
        if not start <= tensor.data_ptr() < start + array.nbytes:
            return
        storage = tensor.untyped_storage()
        identity = int(storage._cdata)
        for link in reversed([link for link in _chain(array) if link.nbytes == array.nbytes]):
            self._hold(link, identity, how, site)
        if identity in self._shared:
            self._shared[identity].storage = weakref.ref(storage, lambda _: self._unused(identity))

    def _hold(self, array: Any, identity: int, how: str, site: Site) -> Held | None:
        key = id(array)
        if not self._is_held(array):
            flags = take_permission(array)
            if flags is None:
                return None
            self.held[key] = Held(array, flags, lambda reference: self._forget(key, reference))
        held = self.held[key]
        held.storages.add(identity)
        self._shared.setdefault(identity, Shared()).arrays.add(key)
        held.how, held.site = how, site
        return held

    def _is_held(self, array: Any) -> bool:
        held = self.held.get(id(array))
        return held is not None and held.array() is array

    def _forget(self, key: int, reference: Any) -> None:
        """A locked array has died."""
        held = self.held.get(key)
        if held is None or held.array is not reference:
            return
        del self.held[key]
        for identity in held.storages:
            shared = self._shared.get(identity)
            if shared is not None:
                shared.arrays.discard(key)
                shared.given -= held.given == identity
                if not shared.arrays:
                    self._shared.pop(identity, None)

    def _unused(self, identity: int) -> None:
        """Nothing of torch looks at a storage any more."""
        self._waiting.discard(identity)
        shared = self._shared.pop(identity, None)
        # Any of the arrays may die meanwhile.
        for key in tuple(shared.arrays) if shared is not None else ():
            held = self.held.get(key)
            if held is None:
                continue
            held.storages.discard(identity)
            if not held.storages:
                self.held.pop(key, None)
                held.release()

    # --- arrays that torch gives --------------------------------------------------------------------------------------

    def _exporter(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def export(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            array = original(tensor, *args, **kwargs)
            if type(array) is np.ndarray and type(tensor) in PLAIN and not self.attention.away:
                with self.attention:
                    self._look_again()
                    self._given(array, tensor, name, user_site())
            return array

        return export

    def _dlpack_exporter(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def convert(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            own = tensor
            if type(tensor) in PLAIN and not tensor.requires_grad:
                with self.attention:
                    own = tensor.detach()  # The capsule would keep the program's tensor, whose death is waited for.
            return original(own, *args, **kwargs)

        return self._exporter("np.from_dlpack", convert)

    def _given(self, array: Any, tensor: Any, how: str, site: Site) -> None:
        start, storage = address_of(array), tensor.untyped_storage()
        if not storage.data_ptr() <= start < storage.data_ptr() + storage.nbytes():
            return
        identity = int(storage._cdata)
        held = self._hold(array, identity, how, site)
        if held is not None:
            self._shared[identity].given += held.given != identity
            held.given = identity
            held.tensor = weakref.ref(tensor, lambda _: self._tensor_died(identity))

    def _tensor_died(self, identity: int) -> None:
        """The tensor that an array was taken from dies, and is counted to the end: maybe nobody else looks there."""
        if self._others(identity) <= 1:
            self._unused(identity)
        else:
            self._waiting.add(identity)

    def _look_again(self) -> None:
        for identity in list(self._waiting):
            if self._others(identity) <= 0:
                self._unused(identity)

    def _others(self, identity: int) -> int:
        """How many look at a storage beside the arrays that were taken from it; none if these are gone."""
        arrays = self._shared[identity].given if identity in self._shared else 0
        return (users_of_storage(identity) or 0) - arrays if arrays else 0


def _chain(array: Any) -> list[Any]:
    """*array* and the arrays that it is a view of."""
    links = [array]
    while isinstance(links[-1].base, np.ndarray):
        links.append(links[-1].base)
    return links
