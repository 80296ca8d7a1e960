"""Draw the pictures of the README: what `tensorcopy compare` prints, and how time grows with size, light and dark.

``make pictures`` runs it on your machine; ``python scripts/pictures.py FOLDER SECONDS`` says where to, and how long
timing may take.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tensorcopy.benchmarking.comparing import compare
from tensorcopy.benchmarking.comparison import Comparison
from tensorcopy.benchmarking.making import Order, made
from tensorcopy.benchmarking.showing import plots_of
from tensorcopy.benchmarking.sweeping import with_sweep
from tensorcopy.benchmarking.sweeps import sizes_of
from tensorcopy.reporting import Medium, Report, render
from tensorcopy.reporting.plots import save

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
COLUMNS = 96
COMMAND = "$ tensorcopy compare"
_LIGHT = [(27, 31, 36), (179, 38, 30), (22, 101, 52), (133, 77, 14), (0, 92, 150), (130, 60, 130), (0, 105, 112)]
_DARK = [(0, 0, 0), (255, 123, 114), (86, 211, 100), (227, 179, 65), (121, 192, 255), (210, 168, 255), (57, 197, 207)]
THEMES = {
    "light": TerminalTheme((255, 255, 255), (27, 31, 36), [*_LIGHT, (87, 96, 106)]),
    "dark": TerminalTheme((20, 24, 29), (230, 233, 237), [*_DARK, (230, 233, 237)]),
}
# rich's own format asks a server for its font; here the reader's monospaced one is enough.
_FORMAT = """\
<svg viewBox="0 0 {width} {terminal_height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title_text}">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>{lines}</defs>
<rect fill="{paper}" width="{width}" height="{terminal_height}" rx="8" />
<g transform="translate({terminal_x}, 14)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main(folder: Path, seconds: float) -> None:
    """Measure once and draw everything into *folder*."""
    order = Order(requires_grad=True)
    found = compare(made(order), time_budget=seconds)
    sizes = sizes_of("1e2:1e7" if seconds > 1 else "10,100")
    grown = with_sweep(found, order, sizes, seconds / 2)
    folder.mkdir(parents=True, exist_ok=True)
    for name in THEMES:
        (folder / f"compare-{name}.svg").write_text(terminal(found.report(most=6), name), encoding="utf-8")
        draw_growth(grown, folder, name)


def draw_growth(found: Comparison, folder: Path, theme: str) -> None:
    """The curves of time on paper of that theme."""
    assert found.sweep is not None
    save(plots_of(found, found.sweep)[0], folder / f"growth-{theme}.svg", theme="dark" if theme == "dark" else "light")


def terminal(report: Report, theme: str) -> str:
    """The text of *report* as a terminal of that theme shows it, as SVG."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text(COMMAND, "dim"), highlight=False)
    text = render(report, "text", Medium(columns=COLUMNS, color=True))
    for line in text.rstrip("\n").split("\n"):
        console.print(Text.from_ansi(line), highlight=False, no_wrap=True, crop=False)
    console.print()
    colors = THEMES[theme]
    paper = colors.background_color.hex
    code = _FORMAT.replace("{paper}", paper).replace("{title_text}", "what tensorcopy compare prints")
    return console.export_svg(theme=colors, code_format=code, unique_id=f"compare-{theme}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, float(sys.argv[2]) if len(sys.argv) > 2 else 10.0)
