"""Plots as pictures."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tensorcopy.errors import BadArgumentError, MissingLibraryError
from tensorcopy.reporting import Axis, Plot, Point, Series, ValueType
from tensorcopy.reporting.formats._html_plot import plot_svg
from tensorcopy.reporting.plots import save

SERIES = (
    Series(
        name="clone $x^2$ <b>", points=tuple(Point(x=10.0**i, y=1e-6 * i, low=9e-7 * i, high=2e-6 * i) for i in (2, 4))
    ),
    Series(name="share", points=(Point(x=100, y=0), Point(x=1e4, y=float("inf")), Point(x=1e3, y=0)), emphasis=True),
    Series(name="empty", points=()),
)
PLOT = Plot(
    title="a & b", x=Axis(name="size", unit="elements"), y=Axis(name="time", type=ValueType.TIME), series=SERIES
)
LINEAR = Plot(x=Axis(name="n", log=False), y=Axis(name="bytes", type=ValueType.BYTES, log=False), series=SERIES)


@pytest.fixture(autouse=True)
def _drawing() -> None:
    pytest.importorskip("matplotlib")


def test_an_svg_has_title_axes_units_names_and_ticks_as_text(tmp_path: Path) -> None:
    save(PLOT, tmp_path / "plot.svg")
    texts = {
        "".join(e.itertext()).strip() for e in ElementTree.parse(tmp_path / "plot.svg").iter() if e.tag.endswith("text")
    }
    assert texts >= {"a & b", "size (elements), log scale", "time, log scale", "clone $x^2$ <b>", "» share"}
    assert texts >= {"100", "1k", "10k", "0", "2 µs", "8 µs"}


def test_the_same_plot_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        save(PLOT, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_pictures_are_light_or_dark(tmp_path: Path) -> None:
    save(LINEAR, tmp_path / "light.SVG")
    save(LINEAR, str(tmp_path / "dark.svg"), theme="dark")
    light, dark = ((tmp_path / name).read_text("utf-8") for name in ("light.SVG", "dark.svg"))
    assert ("#ffffff" in light, "#14181d" in light) == (True, False)
    assert ("#ffffff" in dark, "#14181d" in dark) == (False, True)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    expected = r"cannot draw a plot as 'plot.pdf' · the suffix has to be one of .png, .svg · write to 'plot.png'"
    with pytest.raises(BadArgumentError, match=expected):
        save(PLOT, tmp_path / "plot.pdf")


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingLibraryError, match=r"matplotlib is not installed · pip install 'tensorcopy\[plot\]'"):
        save(PLOT, tmp_path / "plot.png")
    assert list(tmp_path.iterdir()) == []


def test_only_drawing_loads_matplotlib() -> None:
    code = "import sys, tensorcopy.reporting.plots; assert not {'matplotlib', 'numpy', 'rich'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("emphasis", [False, True])
def test_a_name_on_a_page_has_room_up_to_the_edge_also_in_bold(emphasis: bool) -> None:
    name = "torch.from_numpy(x.copy())"
    drawn = plot_svg(replace(PLOT, series=(Series(name=name, points=(Point(x=10, y=1e-6),), emphasis=emphasis),)))
    place = re.search(r'<text style="[^"]*" x="([\d.]+)"[^>]*>([^<]*)<', drawn)
    assert place is not None
    assert float(place[1]) + len(place[2]) * 7.2 * (1.12 if emphasis else 1.0) <= 860
