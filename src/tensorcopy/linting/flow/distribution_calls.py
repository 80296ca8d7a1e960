"""Distributions of torch: what is drawn from them, and what is computed of their parameters."""

from __future__ import annotations

from . import values as v
from .making import fresh, graph_of
from .sites import Site
from .values import Value

_COMPUTED = frozenset(("log_prob", "entropy", "rsample", "cdf", "icdf", "log_cdf"))
_DRAWN = frozenset(("sample", "sample_n"))


def made(site: Site) -> Value:
    """A distribution: on the graph if one of its parameters is."""
    graph = graph_of(site.frame, *site.args, *site.keywords.values())
    return Value(v.DISTRIBUTION, site.node, graph=graph, time=site.frame.unit.clock)


def method_result(site: Site, base: Value, name: str) -> Value | None:
    """What a method of a distribution gives: samples are off the graph, the rest is where its parameters are."""
    if name in _DRAWN:
        return fresh(site.frame, site.node, v.TENSOR, graph=v.OFF)
    if name in _COMPUTED:
        return fresh(site.frame, site.node, v.TENSOR, graph=graph_of(site.frame, base, *site.args))
    return None
