"""What the conversions at the border of torch are given: values that do not fit, and slow ways in."""

from __future__ import annotations

import weakref
from array import array
from typing import Any

import numpy as np
import torch

from ..reports import Findings
from ..sites import Site, user_site
from ..watching import Known
from .tensors import PLAIN

_TYPOS = frozenset(
    [
        "require_grad",
        "requires_gard",
        "requires_grads",
        "required_grad",
        "require_grads",
        "requies_grad",
        "reqires_grad",
    ]
)
_INTEGERS = frozenset((torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8))
# Casts after which the upper half of the values, or more, is another number.
_HALVED = frozenset(
    (
        (torch.uint8, torch.int8),
        (torch.uint16, torch.int16),
        (torch.uint32, torch.int32),
        (torch.int64, torch.int32),
        (torch.int64, torch.int16),
        (torch.int32, torch.int16),
    )
)
# Constants are compared by how they are written; longer ones take too long.
_LONGEST = 8_000
_LOOKS = 3
_BUFFERS = (bytes, bytearray, memoryview, array)


class Conversions:
    """Checks on the arguments of conversions, with their real values."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.copied_tensors: Known[Site] = Known()
        self.constants: dict[Site, tuple[str, int]] = {}
        self.bare_clones: list[tuple[Any, list[str], Site]] = []
        self.doubles: Known[Site] = Known()
        self.looks: dict[Site, int] = {}

    def converting(self, name: str, data: Any, dtype: Any, site: Site) -> None:
        """``torch.tensor(data)`` and its kin are about to run."""
        if isinstance(data, np.ma.MaskedArray):
            self._masked(name, data, site)
        elif isinstance(data, np.ndarray):
            self._array(name, data, dtype, site)
        elif name == "asarray" and dtype is None and isinstance(data, _BUFFERS):
            self.findings.add(
                "bytes-as-floats",
                site,
                f"torch.asarray reads the bytes of a {type(data).__name__} as float32, whatever they are; give the "
                f"dtype of its elements, such as dtype=torch.uint8",
            )
        elif type(data) in (list, tuple) and len(data) > 1 and type(data[0]) is np.ndarray and data[0].ndim:
            self.findings.add(
                "list-of-arrays",
                site,
                f"torch.{name} reads a list of {len(data)} arrays number by number; torch.from_numpy(np.stack(...)) "
                f"copies them as blocks",
            )

    def _masked(self, name: str, data: Any, site: Site) -> None:
        masked = int(np.ma.getmaskarray(data).sum())
        if masked:
            self.findings.add(
                "masked-values-dropped",
                site,
                f"torch.{name} of a masked array drops the mask: {masked} masked values become data; use .filled(...)",
            )

    def _array(self, name: str, data: Any, dtype: Any, site: Site) -> None:
        if dtype in _INTEGERS and data.dtype.kind == "f" and data.size <= 1 << 20 and not np.isfinite(data).all():
            self.findings.add(
                "values-not-in-dtype",
                site,
                f"torch.{name} turns NaN or inf into {dtype}: integers have neither, and what comes out is arbitrary; "
                f"fill or check the values first",
            )

    def constructed(self, args: tuple[Any, ...], site: Site) -> None:
        """``torch.Tensor(...)`` is about to run: one number is a size, and whole numbers become float32."""
        if len(args) != 1:
            return
        data = args[0]
        numbers = data if type(data) in (list, tuple) else ()
        if isinstance(data, np.ndarray) and data.dtype.kind in "iu" and 0 < data.size <= 1 << 20:
            numbers = data.ravel()[np.abs(data.ravel()) > 1 << 24].tolist()
        large = next((n for n in numbers if type(n) is int and abs(n) > 1 << 24 and int(np.float32(n)) != n), None)
        if large is not None:
            self.findings.add(
                "integers-through-float32",
                site,
                f"torch.Tensor() makes float32 of whole numbers, which has 24 bits for them: {large} becomes "
                f"{int(np.float32(large))}; use torch.tensor(..., dtype=torch.int64)",
            )

    def converted(self, name: str, data: Any, result: Any, site: Site) -> None:
        """A conversion has run."""
        if name == "tensor" and type(data) in PLAIN and type(result) in PLAIN:
            self.copied_tensors.put(result, site)
        if type(data) in (list, tuple) and type(result) in PLAIN and result.dtype is torch.float64:
            self.doubles.put(result, site)
        if type(data) in (list, tuple) and len(data) > 1 and type(result) in PLAIN and result.dtype is torch.float32:
            self._digits(name, data, result, site)
        if type(data) in (list, tuple) and 2 <= len(data) <= 64 and site.function == "forward":
            self._constant(data, site)

    def _digits(self, name: str, data: Any, result: Any, site: Site) -> None:
        """Numbers that differ and are one in float32: only large ones are looked at, which keep few digits."""
        looks = self.looks[site] = self.looks.get(site, 0) + 1
        if looks > _LOOKS or len(data) > _LONGEST or not all(type(n) in (int, float) for n in data):
            return
        if float in map(type, data) and max(map(abs, data)) > 1 << 24 and len(set(data)) > len(set(result.tolist())):
            self.findings.add(
                "digits-lost",
                site,
                f"torch.{name} makes float32 of these numbers, and some that differ become one: float32 has 24 bits; "
                f"give dtype=torch.float64, or take the difference from the first one before",
            )

    def _constant(self, data: Any, site: Site) -> None:
        text = repr(data)
        if "tensor(" in text or len(text) > _LONGEST:
            return
        known, times = self.constants.get(site, (text, 0))
        self.constants[site] = (known, times + 1) if known == text else ("", 0)

    def used(self, tensor: Any) -> None:
        """A tensor goes into a computation: one that was copied by torch.tensor was copied for nothing."""
        copied = self.copied_tensors.forget(tensor)
        if copied is not None:
            self.findings.add(
                "tensor-of-tensor",
                copied,
                "torch.tensor() of a tensor copies it and cuts it from the graph, and warns; write detach().clone() "
                "for a copy, or use the tensor itself (torch.as_tensor to change its dtype)",
            )

    def promoted(self, name: str, args: list[Any]) -> None:
        """A float64 tensor meets a float32 one: everything after is float64."""
        kinds = {a.dtype for a in args if a.dim() > 0 and a.dtype.is_floating_point}
        trained = any(a.requires_grad and a.dtype is torch.float32 for a in args)
        if not trained or kinds != {torch.float32, torch.float64} or torch.result_type(*args) is not torch.float64:
            return
        made, site = next((made for a in args if (made := self.doubles.of(a))), None), user_site()
        self.findings.add(
            "float64-leak",
            made or site,
            f"{name} mixes float32 and float64 and goes on in float64, twice the memory and slower; where the float64 "
            f"comes from Python floats or NumPy, cast it with .float() once",
            ((site, "float32 meets float64 here"),),
        )

    def cast(self, source: Any, result: Any, site: Site) -> None:
        """A tensor was converted into another dtype: looked at a few times on each line."""
        if result.dtype not in _INTEGERS or type(source) not in PLAIN:
            return
        if (source.dtype, result.dtype) in _HALVED:
            self._wrapped(source, result, site)
        if not source.is_floating_point():
            return
        looks = self.looks[site] = self.looks.get(site, 0) + 1
        if looks > _LOOKS or source.numel() > 1 << 16 or source.device.type != "cpu" or source.isfinite().all():
            return
        self.findings.add(
            "values-not-in-dtype",
            site,
            f"NaN or inf is converted to {str(result.dtype).removeprefix('torch.')}: integers have neither, and what "
            f"comes out is arbitrary; fill or check the values first",
        )

    def _wrapped(self, source: Any, result: Any, site: Site) -> None:
        """Integers were cast to a dtype that holds half of them, or less."""
        looks = self.looks[site] = self.looks.get(site, 0) + 1
        if looks > _LOOKS or source.numel() > 1 << 16 or source.device.type != "cpu":
            return
        lost = int((result.to(torch.int64) != source.to(torch.int64)).sum())
        if lost:
            before, after = (str(t.dtype).removeprefix("torch.") for t in (source, result))
            self.findings.add(
                "values-not-in-dtype",
                site,
                f"{lost} values of {before} do not fit {after} and wrap around; use a wider dtype",
                variant="wrapped",
            )

    def cloned(self, source: Any, result: Any, site: Site) -> None:
        """A clone of a subclass loses what the instance carries beside its data."""
        lost = sorted(set(vars(source)) - set(vars(result))) if type(source) is type(result) else []
        if lost and len(self.bare_clones) < 1000:
            self.bare_clones.append((weakref.ref(result), lost, site))

    def attribute_set(self, name: str) -> None:
        """An attribute of a tensor is set."""
        if name in _TYPOS:
            self.findings.add(
                "attribute-typo",
                user_site(),
                f"sets an attribute {name}, which torch does not know: nothing is frozen; it is called requires_grad",
            )

    def finish(self) -> None:
        """Report constants that were made again at each call, and clones that never got their attributes back."""
        for reference, names, site in self.bare_clones:
            clone = reference()
            lost = [n for n in names if clone is not None and n not in vars(clone)]
            if lost:
                self.findings.add(
                    "subclass-metadata-lost",
                    site,
                    f"clone() of {type(clone).__name__} does not copy its attributes {', '.join(lost[:5])}; copy them "
                    f"as well, or define __torch_function__",
                )
        for site, (text, times) in self.constants.items():
            if times >= 3 and text:
                self.findings.add(
                    "constant-rebuilt",
                    site,
                    f"the same constant {text[:60]} is made into a tensor at each call of forward ({times} times): "
                    f"register it as a buffer once",
                )
