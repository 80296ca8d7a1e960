"""The report on what a check costs."""

from __future__ import annotations

from bench.checking import Candidate, table


def test_the_table_says_what_a_check_costs_beside_parsing_and_torchfix() -> None:
    costs = {"python": 0.01, "start": 0.11, "parse": 1.01, "cold": 2.61, "fill": 3.0, "warm": 0.21, "TorchFix": 130.5}
    measured = {name: _ran(name, cost) for name, cost in costs.items()}
    assert table(measured, 100_000) == [
        "start-up above Python's own: 100 ms (spread x1.00)",
        "parse         1.01 s  x1.00        99,010 lines/s      50 MB     0.39 of cold",
        "cold          2.61 s  x1.00        38,314 lines/s      50 MB     1.00 of cold",
        "warm          0.21 s  x1.00       476,190 lines/s      50 MB     0.08 of cold",
        "TorchFix    130.50 s  x1.00           766 lines/s      50 MB    50.00 of cold",
        "cold, without start-up, is 2.50 parses",
    ]


def _ran(name: str, cost: float) -> Candidate:
    return Candidate(name=name, command=[], seconds=[cost, cost * 2, cost], memory=50)
