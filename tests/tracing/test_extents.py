"""The memory picture of a hazard: the allocation, and which of its bytes each line sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorcopy.reporting.drawings import MemoryPicture
from tensorcopy.tracing.captures.capture import Capture, Extent, Finding, Part, read, written
from tensorcopy.tracing.viewing.files import Files
from tensorcopy.tracing.viewing.telling import callout_of
from tests.tracing.programs import traced

PICTURES = {
    "strided": (
        "t, kept = torch.zeros(4, 6), []\nfor _ in range(3):\n    t[::2, ::3] += 1\n    kept.append(t.numpy())\n",
        Extent(
            bytes=96,
            parts=(
                Part(what="keeps the float32 array (4, 6)", lo=0, hi=96),
                Part(what="writes 4 elements of 4 bytes", lo=0, hi=64, line=1, counts=(2, 2, 4), strides=(48, 12, 1)),
            ),
        ),
    ),
    "two-dimensional": (
        "def halved(a):\n    t = torch.from_numpy(a)\n    t[1:, ::2] /= 2\n    return t\n"
        "a = np.ones((3, 4))\nhalved(a)\nprint(a)\n",
        Extent(
            bytes=96,
            parts=(
                Part(what="a of the caller: float64 array (3, 4)", lo=0, hi=96),
                Part(
                    what="writes the float64 tensor (2, 2), strides (4, 2)",
                    lo=32,
                    hi=88,
                    line=1,
                    counts=(4, 8),
                    strides=(16, 1),
                ),
            ),
        ),
    ),
    "overlapping": (
        "y = torch.arange(6.0)\ntry:\n    y[2:] = y[:-2]\nexcept RuntimeError:\n    pass\n",
        Extent(
            bytes=24,
            parts=(
                Part(what="writes the float32 tensor (4,)", lo=8, hi=24),
                Part(what="reads the float32 tensor (4,)", lo=0, hi=16),
            ),
        ),
    ),
    "of one element": (
        "w = torch.zeros(8, requires_grad=True)\nbest = [w.detach()[5:6].detach()]\n"
        "with torch.no_grad():\n    w[5] = 3\nbest[0].sum()\n",
        Extent(
            bytes=32,
            parts=(
                Part(what="keeps the float32 tensor (1,)", lo=20, hi=24),
                Part(what="writes 1 element of 4 bytes", lo=20, hi=24, line=1),
                Part(what="reads the float32 tensor (1,)", lo=20, hi=24, line=2),
            ),
        ),
    ),
    "of one number": (
        "e = torch.zeros(1).expand(4)\ne[2] = 1\n",
        Extent(
            bytes=4,
            parts=(
                Part(what="expands to the float32 tensor (4,), strides (0,)", lo=0, hi=4),
                Part(what="writes the float32 tensor ()", lo=0, hi=4, line=1),
            ),
        ),
    ),
    "saved for backward": (
        "x = torch.rand(2, 4, requires_grad=True)\ny = torch.exp(x)\ny.data[:, 1:3].clamp_(max=1)\n"
        "y.sum().backward()\n",
        Extent(
            bytes=32,
            parts=(
                Part(what="saves the float32 tensor (2, 4)", lo=0, hi=32, line=1),
                Part(what="writes 4 elements of 4 bytes", lo=4, hi=28, counts=(2, 8), strides=(16, 1)),
            ),
        ),
    ),
    "a part of an array": (
        "buffer, made = np.zeros(6, np.float32), []\nfor i in range(4):\n    buffer[:] = i\n"
        "    made.append(torch.from_numpy(buffer[1:5]))\nprint(torch.stack(made).sum())\n",
        Extent(
            bytes=24,
            parts=(
                Part(what="keeps the float32 tensor (4,)", lo=4, hi=20),
                Part(what="writes within the float32 array (6,)", lo=0, hi=24, line=1),
            ),
        ),
    ),
}


def only_finding(code: str, folder: Path) -> tuple[Capture, Finding]:
    capture = traced(code, folder)
    (finding,) = capture.findings
    return capture, finding


@pytest.mark.usefixtures("capsys")
@pytest.mark.parametrize("name", PICTURES)
def test_a_hazard_knows_who_sees_which_bytes(name: str, tmp_path: Path) -> None:
    code, extent = PICTURES[name]

    assert only_finding(code, tmp_path)[1].memory == extent


@pytest.mark.usefixtures("capsys")
@pytest.mark.parametrize("name", PICTURES)
def test_it_is_drawn_the_same_from_the_file(name: str, tmp_path: Path) -> None:
    code, extent = PICTURES[name]
    capture, finding = only_finding(code, tmp_path)
    (tmp_path / "a.capture").write_text(written(capture))
    callout = callout_of(read(tmp_path / "a.capture").findings[0], Files.of(capture), number=1, listed=True)
    (picture,) = [d for d in callout.details if isinstance(d, MemoryPicture)]
    (storage,) = picture.storages

    assert storage.bytes == extent.bytes
    assert [(s.lo, s.hi, s.gaps) for s in storage.spans] == [(p.lo, p.hi, bool(p.counts)) for p in extent.parts]
    assert storage.spans[-1].strides in {"copied onto itself here", "written here, unseen by torch"} | {
        spot.message for spot in finding.related
    }
    assert len(storage.shared_parts[0].labels) == len(extent.parts)


@pytest.mark.parametrize(
    "part",
    [
        {"counts": (2, 4), "strides": (8,)},
        {"counts": (2, 4), "strides": (8, 1)},
        {"counts": (0, 4), "strides": (8, 1)},
    ],
)
def test_pieces_that_do_not_fill_a_part_are_refused(part: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="of a part"):
        Part(what="x", lo=0, hi=16, **part)  # type: ignore[arg-type]
