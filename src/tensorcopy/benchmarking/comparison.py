"""What `compare` found out: a plain value that shows itself as a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..reporting.showing import Shown
from .deciding import Recommendation, recommend
from .measurements import Measurement
from .sweeps import Sweep
from .wishes import Wishes

if TYPE_CHECKING:
    from ..reporting import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What the numbers were measured on."""

    threads: int
    accelerator: str = ""
    releases: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        words = [f"{name} {version}" for name, version in self.releases.items()]
        return ", ".join(
            [*words, f"{self.threads} thread{'s' * (self.threads != 1)}", *filter(None, [self.accelerator])]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Shown):
    """Ways to do one thing, best first."""

    group: str
    title: str
    aim: str
    source: str
    wishes: Wishes
    measurements: tuple[Measurement, ...]
    machine: Machine
    sweep: Sweep | None = None
    """How time and bytes grow, where sizes were swept."""

    @property
    def recommendation(self) -> Recommendation:
        """The one to take, and why."""
        return recommend(self.measurements, self.wishes)

    @property
    def chosen(self) -> Measurement | None:
        """The one to take; None where nothing grants the wishes."""
        return self.recommendation.chosen

    def named(self, code: str) -> Measurement:
        """The measurement of a line, like ``x.clone()``; `KeyError` if it was no candidate."""
        for measurement in self.measurements:
            if measurement.code == code:
                return measurement
        raise KeyError(code)

    def report(self, *, most: int | None = None) -> Report:
        """What there is to show; of each table the first *most* rows, all without."""
        from .showing import report_of

        return report_of(self, most)
