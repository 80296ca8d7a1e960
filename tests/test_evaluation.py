"""The evaluation of the linter: its table of verdicts, the page made of it, and the script that counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bench.evaluate import VERDICTS, linted, read_verdicts, table_of_rules, unread

PAGE = Path(__file__).parents[1] / "docs" / "evaluation.md"


def test_the_page_counts_the_verdicts_as_they_are() -> None:
    counts = Counter(read_verdicts(VERDICTS).values())
    numbers = (counts.total(), counts["right"], counts["arguable"], counts["wrong"])
    assert f"| together | {' | '.join(map(str, numbers))} |" in PAGE.read_text(encoding="utf-8")


def test_a_finding_counts_by_its_verdict_and_is_unread_without_one(tmp_path: Path) -> None:
    (tmp_path / "lost.py").write_text("import torch\nx = torch.ones(2)\nx.to('cpu')\n", encoding="utf-8")
    repository = linted(tmp_path)
    key = (tmp_path.name, "lost.py", 3, "TCY501")
    assert [row.split("\t")[:4] for row in unread([repository], {})] == [list(map(str, key))]
    assert list(unread([repository], {key: "right"})) == []
    assert list(table_of_rules([repository], {key: "right"}))[-1] == "| together | 1 | 1 | 0 | 0 | 0 |"
