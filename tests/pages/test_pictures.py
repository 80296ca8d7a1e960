"""The pictures on the pages are those that the script draws, and nothing in them comes from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tensorcopy
from tests.pages.reading import ROOT

PICTURES = ROOT / "docs" / "pictures"


def test_the_script_draws_every_picture_that_the_readme_shows(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    command = [sys.executable, "-W", "error", str(ROOT / "scripts" / "pictures.py"), str(tmp_path), "0.05"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    drawn = {path.name for path in tmp_path.iterdir()}
    shown = set(re.findall(r"docs/pictures/([\w.-]+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert drawn == shown == {path.name for path in PICTURES.iterdir()}


@pytest.mark.parametrize("path", sorted(PICTURES.iterdir()), ids=lambda path: path.name)
def test_a_picture_is_whole_and_asks_no_server_for_anything(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert set(re.findall(r"https?://[\w.]+", text)) <= {
        "http://www.w3.org",
        "http://purl.org",
        "https://matplotlib.org",
        "http://creativecommons.org",
    }
    assert "src:" not in text
    assert "@import" not in text
