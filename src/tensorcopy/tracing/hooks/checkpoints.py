"""How state is kept and restored: ``state_dict``, ``load_state_dict``, ``copy``, ``deepcopy`` and ``save``, wrapped."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from ..judging.tensors import PLAIN, address_of, has_memory, repeats
from ..patches import Patches
from ..sites import Site, user_site
from ..watching import Known

if TYPE_CHECKING:
    from ..session import Session

_MOST_VALUES = 512


class Checkpoints:
    """Judges copies of models and optimizers that are none, and those that belong together and were torn apart."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.states: Known[tuple[Site, int]] = Known()
        self.deep_copies: list[tuple[Site, Any, Any, set[int]]] = []

    def wrap(self, patches: Patches) -> None:
        """Wrap all of them."""
        patches.wrap(torch.nn.Module, "state_dict", self._state_dict)
        patches.wrap(torch.nn.Module, "load_state_dict", self._load_state_dict)
        patches.wrap(torch.optim.Optimizer, "state_dict", self._optimizer_state)
        patches.wrap(torch.optim.Optimizer, "load_state_dict", self._load_optimizer_state)
        patches.wrap(copy, "deepcopy", self._deep_copy)
        patches.wrap(copy, "copy", self._shallow_copy)
        patches.wrap(torch, "save", self._save)

    # --- state dicts --------------------------------------------------------------------------------------------------

    def _state_dict(self, original: Callable[..., Any]) -> Callable[..., Any]:
        session = self.session

        def state_dict(module: Any, *args: Any, **kwargs: Any) -> Any:
            found = original(module, *args, **kwargs)
            if not session.attention.away and not args and "destination" not in kwargs and "prefix" not in kwargs:
                site = user_site()
                with session.attention:
                    for value in list(found.values())[:_MOST_VALUES]:
                        if type(value) in PLAIN:
                            session.memory.made(value, "state_dict", None, site)
            return found

        return state_dict

    def _load_state_dict(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(module: Any, state: Any, *args: Any, **kwargs: Any) -> Any:
            values = [v for v in state.values() if type(v) in PLAIN] if hasattr(state, "values") else []
            site = user_site()
            with self.session.attention:
                self._check_repeated(module, state)
                self._check_restored(module, values, site)
            self.session.attention.away += 1
            try:
                result = original(module, state, *args, **kwargs)
            finally:
                self.session.attention.away -= 1
            with self.session.attention:
                self._restored(module, values, site)
            return result

        return load_state_dict

    def _restored(self, module: Any, values: list[Any], site: Site) -> None:
        """Loading has written the parameters, unless it read them from themselves."""
        given = {address_of(value) for value in values}
        for parameter in (*module.parameters(), *module.buffers()):
            start = address_of(parameter)
            if type(parameter) in PLAIN and start not in given:
                self.session.memory.wrote(parameter, start, site)

    def _check_repeated(self, module: Any, state: Any) -> None:
        """Parameters and buffers that are expanded can't be loaded into: one element stands for several."""
        for name, own in (*module.named_parameters(), *module.named_buffers()):
            if name in state and type(own) in PLAIN and has_memory(own) and repeats(own):
                self.session.memory.repeated_written(own)

    def _check_restored(self, module: Any, values: list[Any], site: Site) -> None:
        memory, findings = self.session.memory, self.session.findings
        own = {address_of(p) for p in (*module.parameters(), *module.buffers())} - {0}
        for value in values:
            birth = memory.births.of(value)
            live = birth is not None and birth.how == "state_dict" and birth.address in own
            write = memory.written_since(birth) if birth is not None and live else None
            if birth is None or write is None or birth.site is site:
                continue
            findings.add(
                "restored-from-itself",
                birth.site,
                "state_dict() refers to the live parameters: they have changed since, and restoring from it restores "
                "nothing; keep copy.deepcopy(model.state_dict())",
                ((write.site, "the parameters change here"), (site, "and are restored from themselves here")),
                memory=(
                    (birth.site, "keeps the", value),
                    (write.site, "writes", write.region),
                    (site, "restores the", value),
                ),
            )
            findings.discard("changing-snapshot", birth.site)
            return

    # --- optimizers ---------------------------------------------------------------------------------------------------

    def _optimizer_state(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def state_dict(optimizer: Any) -> Any:
            found = original(optimizer)
            if not self.session.attention.away:
                with self.session.attention:
                    site = user_site()
                    for value in _state_of(found):
                        self.states.put(value, (site, value._version))
            return found

        return state_dict

    def _load_optimizer_state(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(optimizer: Any, state: Any) -> Any:
            with self.session.attention:
                self._check_optimizer(optimizer, state, user_site())
            return original(optimizer, state)

        return load_state_dict

    def _check_optimizer(self, optimizer: Any, state: Any, site: Site) -> None:
        """The state is the optimizer's own, which has changed since it was asked for."""
        own = {id(v) for values in optimizer.state.values() for v in values.values()}
        for value in _state_of(state):
            kept = self.states.of(value)
            if kept is not None and id(value) in own and kept[0] is not site and value._version > kept[1]:
                stepped = self.session.gradients.stepping.steps.of(optimizer)
                self.session.findings.add(
                    "restored-from-itself",
                    kept[0],
                    "state_dict() of an optimizer refers to its live averages: they have changed since, and restoring "
                    "from it restores nothing; keep copy.deepcopy(optimizer.state_dict())",
                    (
                        *(((stepped.site, "they change here"),) if stepped is not None else ()),
                        (site, "and are restored from themselves here"),
                    ),
                    memory=((kept[0], "keeps the", value), (site, "restores the", value)),
                )
                return

    # --- copies -------------------------------------------------------------------------------------------------------

    def _deep_copy(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def deepcopy(x: Any, memo: Any = None, *args: Any) -> Any:
            result = original(x, memo, *args)
            if memo is None and isinstance(x, (torch.nn.Module, torch.optim.Optimizer)):
                with self.session.attention:
                    self._check_tied(x, result, user_site())
            elif memo is None and self.session.full and not self.session.attention.away:
                with self.session.attention:
                    for one, other in islice(_pairs(x, result), _MOST_VALUES):
                        self.session.sparing.copied("deepcopy", (one,), other, None, user_site())
            return result

        return deepcopy

    def _check_tied(self, x: Any, result: Any, site: Site) -> None:
        own = {id(p) for p in x.parameters()} if isinstance(x, torch.nn.Module) else set()
        for earlier, made, source, parameters in self.deep_copies:
            if own & parameters and made() is not None and source() not in (None, x):
                self.session.findings.add(
                    "separate-deep-copies",
                    earlier,
                    "two modules that share a parameter are deep-copied one by one: their copies hold two parameters "
                    "that no longer follow each other; copy both in one call, deepcopy((a, b))",
                    ((site, "the other one is copied here"),),
                )
        self.deep_copies.append((site, weakref.ref(result), weakref.ref(x), own))

    def stepping(self, optimizer: Any, parameters: list[Any]) -> None:
        """A deep-copied optimizer steps parameters that belong to no module and never have a gradient."""
        copied = next((site for site, made, _, _ in self.deep_copies if made() is optimizer), None)
        if copied is None or any(p.grad is not None for p in parameters):
            return
        self.session.findings.add(
            "separate-deep-copies",
            copied,
            "the copied optimizer refers to copies of the parameters of its own, not to those of the copied model: its "
            "steps change nothing that the model uses; copy both in one call, deepcopy((model, optimizer))",
            ((user_site(), "it steps here, and no parameter has a gradient"),),
        )

    def _shallow_copy(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def shallow(x: Any) -> Any:
            result = original(x)
            if type(x) in PLAIN and type(result) in PLAIN and address_of(x) == address_of(result) != 0:
                with self.session.attention:
                    self.session.memory.made(result, "copy.copy", x, user_site())
            return result

        return shallow

    # --- files --------------------------------------------------------------------------------------------------------

    def _save(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def save(obj: Any, *args: Any, **kwargs: Any) -> Any:
            with self.session.attention:
                self._check_saved(obj)
            return original(obj, *args, **kwargs)

        return save

    def _check_saved(self, obj: Any) -> None:
        values = obj.values() if isinstance(obj, dict) else obj if isinstance(obj, (list, tuple)) else (obj,)
        used: dict[int, list[int]] = {}
        for value in values:
            if type(value) in PLAIN and address_of(value):
                self.session.sparing.wrote(address_of(value))
                record = used.setdefault(address_of(value), [value.untyped_storage().nbytes(), 0])
                record[1] += value.nbytes
        whole, part = sum(w for w, _ in used.values()), sum(p for _, p in used.values())
        if whole > 8 * part and whole - part > 65_536:
            self.session.findings.add(
                "kept-storage",
                user_site(),
                f"saves {whole:,} bytes for {part:,} bytes of data: a view is saved with the whole storage behind it; "
                f"save a clone()",
            )


def _pairs(x: Any, result: Any) -> Iterator[tuple[Any, Any]]:
    """The tensors of a nest, each with that of its deep copy."""
    if type(x) is torch.Tensor and type(result) is torch.Tensor and result is not x:
        yield x, result
    elif isinstance(x, dict) and isinstance(result, dict):
        for key in x.keys() & result.keys():
            yield from _pairs(x[key], result[key])
    elif type(x) in (list, tuple) and type(result) is type(x):
        for one, other in zip(x, result, strict=False):
            yield from _pairs(one, other)


def _state_of(state: Any) -> list[Any]:
    """The tensors in the state of an optimizer."""
    entries = state.get("state", {}) if isinstance(state, dict) else {}
    values = [v for entry in entries.values() if isinstance(entry, dict) for v in entry.values()]
    return [v for v in values[:_MOST_VALUES] if type(v) in PLAIN]
