"""Captures with everything in them, and with text that a terminal or a page could take for more than text."""

from __future__ import annotations

from tensorcopy.tracing.captures.capture import (
    Capture,
    CopyLine,
    Events,
    Extent,
    Finding,
    Part,
    Process,
    Source,
    Spot,
    Timeline,
)

TRICK = "<script>hacked=1</script><img src=x onerror=hacked=1> \"'`&amp; \x1b[31m \u202e {{x}}"
FILE, OTHER = f"/project/{TRICK}.py", "/project/package/model.py"
TEXT = "import torch\n\n\ndef train(t, kept):\n    t += 1\n    kept.append(t.numpy())\n    return t.clone()\n"
MODEL = f'"""{TRICK}"""\nloss = a(x) + b(x).item()\nloss.backward()\n' + "x = 1\n" * 500 + "y = x.clone()\n"

KEPT = Finding(
    code="TCY601",
    name="changing-snapshot",
    level="error",
    message=f"shares memory {TRICK}",
    place=Spot(file=FILE, line=6, function="train", code="kept.append(t.numpy())"),
    related=(Spot(file=FILE, line=5, function="train", code="t += 1", message=f"written here {TRICK}"),),
    count=3,
    memory=Extent(
        bytes=4096,
        parts=(
            Part(what="array of float32 (8,)", lo=0, hi=60, counts=(8, 4), strides=(8, 1)),
            Part(what=f"t {TRICK}", lo=0, hi=4096, line=1),
        ),
    ),
    seconds=0.25,
    only=("rank 1",),
)
CUT = Finding(
    code="TCY623",
    name="gradient-cut",
    level="error",
    message="item() takes the value off the graph",
    place=Spot(file=OTHER, line=2, code="loss = a(x) + b(x).item()"),
    related=(Spot(file=OTHER, line=3, code="loss.backward()", message="the value arrives here"),),
    names=(f"b.weight {TRICK}", "b.bias"),
    seconds=0.5,
)
SPARED = Finding(
    code="TCY661",
    name="avoidable-copy",
    level="warning",
    message="clone() of a temporary, which nothing else uses",
    place=Spot(file=FILE, line=7, function="train", code="return t.clone()"),
    variant="clone-of-temporary",
)
LOST = Finding(
    code="TCY999",
    name="of-a-newer-release",
    level="note",
    message="told by a newer release",
    place=Spot(file="/project/gone.py", line=70, code=f"gone() {TRICK}"),
    related=(Spot(file="/project/gone.py", line=72, code="read()", message="read here"),),
)
COPIES = (
    CopyLine(
        operation="clone",
        phase="forward",
        place=SPARED.place,
        count=1200,
        bytes=3_000_000,
        seconds=0.01,
        avoidable="clone() of a temporary, which nothing else uses",
        kind="clone",
        saved=2_000_000,
        variant="clone-of-temporary",
    ),
    CopyLine(
        operation="copy_",
        phase="backward",
        place=Spot(file=OTHER, line=2, code="loss = a(x) + b(x).item()"),
        count=7,
        bytes=70_000,
        seconds=0.002,
        kind=f"inside {TRICK}",
    ),
    CopyLine(
        operation="clone",
        phase="data",
        place=Spot(file=OTHER, line=504, code="y = x.clone()"),
        count=2,
        bytes=16,
        seconds=0.0,
        kind="clone",
    ),
    CopyLine(operation="other copies", phase="", place=Spot(file="", line=0), count=5, bytes=10, seconds=0.0),
)
TIMELINE = Timeline(
    began=1000.0,
    seconds=1.0,
    width=0.25,
    copied={"forward": (1_000_000, 0, 2_000_000), f"backward {TRICK}": (70_000,)},
    events=Events(
        every=4, at=(10, 300_000), took=(5, 20), bytes=(4096, 100), line=(0, 1), thread=(139_000_000_000_001, 7)
    ),
    steps=(0.4, 0.8),
)
CAPTURE = Capture(
    command=("train.py", "--name", TRICK),
    steps=2,
    ended=f"with ValueError {TRICK}",
    findings=(KEPT, CUT, SPARED, LOST),
    copies=COPIES,
    limits=(f"something was not seen {TRICK}",),
    releases={"torch": "2.13.0", "numpy": "2.4.6"},
    pid=77,
    timeline=TIMELINE,
    sources=(Source(file=FILE, text=TEXT), Source(file=OTHER, text=MODEL)),
)
RANKS = Capture(
    command=("train.py",),
    steps=2,
    findings=(KEPT, CUT, SPARED),
    copies=COPIES,
    sources=CAPTURE.sources,
    merged=(
        Process(role="rank 0", rank=0, pid=1, ended="normally", steps=2, timeline=TIMELINE),
        Process(role="rank 1", rank=1, pid=1, ended="interrupted", steps=1, timeline=Timeline(began=1001.5)),
    ),
)
EMPTY = Capture(command=("a.py",))
SAMPLES = {"everything": CAPTURE, "ranks": RANKS, "nothing": EMPTY}
