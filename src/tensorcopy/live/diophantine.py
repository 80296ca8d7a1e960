"""Whether a bounded linear equation has a solution: the arithmetic under exact overlap of strided memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd

MAX_WORK = 100_000
"""Steps before the search gives up. Ordinary views need fewer than fifty; only adversarial strides come near."""

Term = tuple[int, int]
"""(coefficient, largest value of its unknown), both positive."""


def solvable(terms: Iterable[Term], target: int, *, max_work: int = MAX_WORK) -> bool | None:
    """Whether some whole ``0 <= x[k] <= bound[k]`` give ``sum(coefficient[k] * x[k]) == target``.

    Exact. None when the search would take more than *max_work* steps: the problem is NP-hard in the number of terms.
    """
    ordered = _merge(terms)
    reach, divisor = _tails(ordered)
    if target < 0 or target > reach[0]:
        return False
    if target == 0 or len(ordered) < 2:
        return target % divisor[0] == 0 if ordered else True
    return _search(ordered, reach, divisor, target, max_work)


def _merge(terms: Iterable[Term]) -> list[Term]:
    """Largest coefficient first; equal coefficients become one unknown, as only their sum matters."""
    bounds: dict[int, int] = {}
    for coefficient, bound in terms:
        bounds[coefficient] = bounds.get(coefficient, 0) + bound
    return sorted(((c, b) for c, b in bounds.items() if b), reverse=True)


def _tails(ordered: list[Term]) -> tuple[list[int], list[int]]:
    """For each position, the largest sum that the terms from there on can make, and their common divisor."""
    reach, divisor = [0], [0]
    for coefficient, bound in reversed(ordered):
        reach.append(reach[-1] + coefficient * bound)
        divisor.append(gcd(divisor[-1], coefficient))
    return reach[::-1], divisor[::-1]


def _search(ordered: list[Term], reach: list[int], divisor: list[int], target: int, max_work: int) -> bool | None:
    """Depth first; what the terms further on cannot make, by size or by divisibility, is never tried."""
    pending: list[Iterator[int]] = [_remainders(ordered[0], reach[1], divisor[1], target)]
    for _ in range(max_work):
        remainder = next(pending[-1], None)
        if remainder is None:
            pending.pop()
            if not pending:
                return False
            continue
        depth = len(pending)
        if depth == len(ordered) - 1:
            return True
        pending.append(_remainders(ordered[depth], reach[depth + 1], divisor[depth + 1], remainder))
    return None


def _remainders(term: Term, reach: int, divisor: int, target: int) -> Iterator[int]:
    """What is left of *target* for each value of this unknown that leaves something the other terms may make."""
    coefficient, bound = term
    common = gcd(coefficient, divisor)
    if target % common:
        return
    step = divisor // common
    residue = target // common * pow(coefficient // common, -1, step) % step if step > 1 else 0
    least = max(0, -((reach - target) // coefficient))
    first = least + (residue - least) % step
    for value in range(first, min(bound, target // coefficient) + 1, step):
        yield target - coefficient * value
