"""A compacted checkpoint loads as the same objects, shares what was shared, and holds no byte that no tensor uses."""

from __future__ import annotations

import collections
import io
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorcopy
from tensorcopy.errors import BadArgumentError, BadFileError
from tensorcopy.inspection.files import compact_file, inspect_file, verifying
from tensorcopy.inspection.files.formats.torch_archive import take_apart
from tensorcopy.inspection.files.reading import Slices
from tensorcopy.inspection.files.zip_directory import members_of
from tensorcopy.live.regions import Region

torch = pytest.importorskip("torch")
PARENT = torch.arange(1000.0).view(100, 10)


def compacted(folder: Path, obj: Any, **options: Any) -> Path:
    torch.save(obj, folder / "in.pt", **options)
    compact_file(folder / "in.pt", folder / "out.pt", overwrite=True)
    return folder / "out.pt"


def assert_same_tensor(old: Any, new: Any) -> None:
    assert (type(new), new.dtype, new.shape) == (type(old), old.dtype, old.shape)
    assert (new.requires_grad, new.is_conj(), new.is_neg()) == (old.requires_grad, old.is_conj(), old.is_neg())
    assert torch.equal(new, old)


SLICES = {
    "rows": PARENT[:3],
    "one column": PARENT[:, 4],
    "columns that overlap": (PARENT[:, 1:3], PARENT[:, 2:5]),
    "every second and the others": (PARENT[::2], PARENT[1::2]),
    "transposed": PARENT[:4].t(),
    "expanded": PARENT[7, 3].expand(4, 5),
    "empty": PARENT[3:3],
    "scalar": PARENT[9, 9],
    "windows": PARENT[0].unfold(0, 3, 1),
    "parameter": torch.nn.Parameter(PARENT[2:4]),
    "conjugate": torch.arange(100.0).to(torch.complex64)[3:5].conj(),
    "no elements": torch.empty(0),
    "bool": torch.ones(100, dtype=torch.bool)[5:6],
    "bfloat16": torch.arange(100, dtype=torch.bfloat16)[5:7],
    "the same twice": (PARENT[0], PARENT[0]),
    "columns of very many rows": (
        torch.arange(50_000.0).view(5000, 10)[:, :2],
        torch.arange(50_000.0).view(5000, 10)[:, 5:9:2],
    ),
}


@pytest.mark.parametrize("name", SLICES)
@pytest.mark.parametrize("mapped", [False, True], ids=["read", "mapped"])
def test_slices_load_as_they_were_without_what_they_dragged_along(tmp_path: Path, name: str, mapped: bool) -> None:
    old = SLICES[name] if isinstance(SLICES[name], tuple) else (SLICES[name],)
    path = compacted(tmp_path, old)
    new = torch.load(path, weights_only=True, mmap=mapped)
    for before, after in zip(old, new, strict=True):
        assert_same_tensor(before, after)
    contents = inspect_file(path)
    assert contents.stored_bytes == contents.used_bytes
    assert contents.used_bytes == inspect_file(tmp_path / "in.pt").used_bytes
    assert sum({t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in new}.values()) == (
        contents.stored_bytes
    )


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_protocol_of_pickle_is_rewritten(tmp_path: Path, protocol: int) -> None:
    new = torch.load(compacted(tmp_path, {"a": PARENT[50:53]}, pickle_protocol=protocol), weights_only=protocol == 2)
    assert torch.equal(new["a"], PARENT[50:53])
    assert new["a"].untyped_storage().nbytes() == 120


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(1, 4), st.integers(1, 4), st.integers(0, 8), st.integers(0, 8)),
        min_size=1,
        max_size=5,
    )
)
@settings(max_examples=60, deadline=None)
def test_strided_views_keep_their_values_and_their_overlaps(tmp_path_factory: Any, numbers: list[Any]) -> None:
    parent = torch.arange(100, dtype=torch.int32)
    old = [parent.as_strided((m, n), (s, t), offset) for offset, m, n, s, t in numbers]
    new = torch.load(compacted(tmp_path_factory.mktemp("strided"), old), weights_only=True)
    for k, (before, after) in enumerate(zip(old, new, strict=True)):
        assert torch.equal(before, after)
        for other, moved in zip(old[k + 1 :], new[k + 1 :], strict=True):
            assert common(before, other) == common(after, moved)


def common(a: Any, b: Any) -> list[tuple[int, int]]:
    """Which elements of the two, by their number, lie at one address."""
    places = [
        [t.data_ptr() + 4 * (i * t.stride(0) + j * t.stride(1)) for i in range(t.size(0)) for j in range(t.size(1))]
        for t in (a, b)
    ]
    return [(k, m) for k, x in enumerate(places[0]) for m, y in enumerate(places[1]) if x == y]


def test_what_is_no_tensor_is_carried_over(tmp_path: Path) -> None:
    nest = {"epoch": 3, "lr": 0.1, "names": ["a", "b"], "bytes": b"\x00\xff" * 100, "big": 2**80, "none": None}
    new = torch.load(compacted(tmp_path, {**nest, "w": PARENT[:1]}), weights_only=True)
    assert {name: value for name, value in new.items() if name != "w"} == nest


class Setup:
    """A class that ``weights_only`` refuses."""

    def __init__(self) -> None:
        self.weight = PARENT[:2]
        self.name = "setup"


def test_objects_of_any_class_survive_and_none_is_made(tmp_path: Path) -> None:
    new = torch.load(compacted(tmp_path, Setup()), weights_only=False)
    assert (type(new), new.name, new.weight.untyped_storage().nbytes()) == (Setup, "setup", 80)


def test_module_and_optimizer_states_load_again(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(4, 3)).sum().backward()
    optimizer.step()
    path = compacted(tmp_path, {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "x": PARENT[:1]})
    new = torch.load(path, weights_only=True)
    model.load_state_dict(new["model"])
    optimizer.load_state_dict(new["optimizer"])
    assert new["model"]._metadata == model.state_dict()._metadata


def test_ends_of_one_storage_come_together_and_still_share_it(tmp_path: Path) -> None:
    new = torch.load(compacted(tmp_path, [PARENT[0], PARENT[-1]]), weights_only=True)
    assert new[0].untyped_storage().data_ptr() == new[1].untyped_storage().data_ptr()
    assert new[0].untyped_storage().nbytes() == 80


def test_parts_begin_where_they_can_be_mapped(tmp_path: Path) -> None:
    path = compacted(tmp_path, {"a": PARENT[:3], "b": torch.ones(5), "c": torch.ones(1)})
    assert {storage.offset % 64 for storage in inspect_file(path).storages.values() if storage.offset} == {0}
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert not [name for name in archive.namelist() if name.endswith("serialization_id")]


def test_the_report_says_what_it_saved(tmp_path: Path) -> None:
    torch.save(PARENT[:3], tmp_path / "in.pt")
    done = compact_file(tmp_path / "in.pt", tmp_path / "out.pt")
    assert (done.storages, done.tensors) == (1, 1)
    assert (done.before, done.after) == ((tmp_path / "in.pt").stat().st_size, (tmp_path / "out.pt").stat().st_size)
    assert "1 storage shrank; the one tensor was compared with the old file and is equal." in str(done)


def test_an_existing_file_is_not_overwritten_without_being_told_to(tmp_path: Path) -> None:
    torch.save(PARENT[:3], tmp_path / "in.pt")
    (tmp_path / "out.pt").write_text("precious")
    with pytest.raises(BadArgumentError, match=r"will not overwrite .*out.pt · the file exists · name another"):
        compact_file(tmp_path / "in.pt", tmp_path / "out.pt")
    assert (tmp_path / "out.pt").read_text() == "precious"
    with pytest.raises(BadArgumentError, match=r"cannot write .*null · it is no regular file"):
        compact_file(tmp_path / "in.pt", os.devnull, overwrite=True)


def test_a_file_may_be_compacted_in_place(tmp_path: Path) -> None:
    torch.save(PARENT[:3], tmp_path / "in.pt")
    compact_file(tmp_path / "in.pt", tmp_path / "in.pt", overwrite=True)
    assert torch.equal(torch.load(tmp_path / "in.pt", weights_only=True), PARENT[:3])
    assert [path.name for path in tmp_path.iterdir()] == ["in.pt"]


def test_a_file_that_comes_out_wrong_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.save({"a": PARENT[:3], "b": torch.ones(2)}, tmp_path / "in.pt")
    before = (tmp_path / "in.pt").read_bytes()

    def flip(data: Any, start: int, layout: Any) -> Any:
        yield bytes(layout.nbytes)

    monkeypatch.setattr("tensorcopy.inspection.files.compacting.gathered", flip)
    with pytest.raises(
        BadFileError, match=r"the compacted file differs in a tensor of storage '0', and was thrown away"
    ):
        compact_file(tmp_path / "in.pt", tmp_path / "out.pt")
    assert [path.name for path in tmp_path.iterdir()] == ["in.pt"]
    assert (tmp_path / "in.pt").read_bytes() == before


def test_an_interruption_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.save(PARENT[:3], tmp_path / "in.pt")
    before = (tmp_path / "in.pt").read_bytes()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(verifying, "verify", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compact_file(tmp_path / "in.pt", tmp_path / "in.pt", overwrite=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"in.pt": before}


@pytest.mark.parametrize("kind", ["legacy", "npz", "safetensors"])
def test_formats_that_drag_nothing_along_are_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "in"
    if kind == "legacy":
        torch.save(PARENT[:3], path, _use_new_zipfile_serialization=False)
    elif kind == "npz":
        with open(path, "wb") as file:
            pytest.importorskip("numpy").savez(file, a=[1, 2])
    else:
        pytest.importorskip("safetensors.torch").save_file({"a": torch.ones(3)}, path)
    with pytest.raises(BadFileError, match=rf"cannot compact {path}, which is of format .* · .* · give a checkpoint"):
        compact_file(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_compressed_parts_are_refused(tmp_path: Path) -> None:
    torch.save(PARENT[:3], tmp_path / "in.pt")
    with (
        zipfile.ZipFile(tmp_path / "in.pt") as old,
        zipfile.ZipFile(tmp_path / "c.pt", "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert inspect_file(tmp_path / "c.pt").used_bytes == 120
    with pytest.raises(BadFileError, match="parts of it are compressed, as torch never writes them"):
        compact_file(tmp_path / "c.pt", tmp_path / "out.pt")


def test_compacting_loads_no_array_library(tmp_path: Path) -> None:
    torch.save(PARENT[:, 3], tmp_path / "in.pt")
    code = (
        "import sys\nfrom tensorcopy.inspection.files import compact_file\n"
        f"compact_file({str(tmp_path / 'in.pt')!r}, {str(tmp_path / 'out.pt')!r})\n"
        "print({'torch', 'numpy'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", "set()\n")


def pickled_with_one_tuple_of_strides_for_two(*shapes: tuple[int, int]) -> bytes:
    """Tensors over storages of their own that were given the very same tuple."""
    strides = (10, 1)

    class Tensor:
        def __init__(self, key: str, shape: tuple[int, int]) -> None:
            self.key, self.shape = key, shape

        def __reduce__(self) -> tuple[Any, ...]:
            arguments = (Storage(self.key), 0, self.shape, strides, False, collections.OrderedDict())
            return torch._utils._rebuild_tensor_v2, arguments

    class Storage:
        def __init__(self, key: str) -> None:
            self.key = key

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj: Any) -> Any:
            return ("storage", torch.FloatStorage, obj.key, "cpu", 100) if isinstance(obj, Storage) else None

    stream = io.BytesIO()
    Pickler(stream, 2).dump([Tensor(str(k), shape) for k, shape in enumerate(shapes)])
    return stream.getvalue()


def test_storages_stay_as_they_are_where_one_number_would_have_to_say_two_things(tmp_path: Path) -> None:
    torch.save(torch.ones(1), tmp_path / "any.pt")
    with zipfile.ZipFile(tmp_path / "any.pt") as old, zipfile.ZipFile(tmp_path / "in.pt", "w") as new:
        for name in ("any/version", "any/byteorder"):
            new.writestr(name, old.read(name))
        new.writestr("any/data.pkl", pickled_with_one_tuple_of_strides_for_two((3, 2), (3, 4), (3, 2)))
        for key in range(3):
            new.writestr(f"any/data/{key}", torch.arange(100.0).numpy().tobytes())
    compact_file(tmp_path / "in.pt", tmp_path / "out.pt")
    before, after = (torch.load(tmp_path / name, weights_only=True) for name in ("in.pt", "out.pt"))
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))
    assert {tensor.stride() for tensor in after} == {(10, 1)}


@pytest.mark.skipif(os.name == "nt", reason="Windows limits no file sizes")
def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path) -> None:
    torch.save(torch.ones(100_000), tmp_path / "in.pt")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from tensorcopy.cli.main import main\n"
        f"raise SystemExit(main(['compact', {str(tmp_path / 'in.pt')!r}, {str(tmp_path / 'out.pt')!r}]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: cannot write {tmp_path / 'out.pt'}\n  why: File too large\n")
    assert [path.name for path in tmp_path.iterdir()] == ["in.pt"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    torch.save(PARENT[:3], tmp_path / "in.pt")
    with pytest.raises(
        BadArgumentError, match=r"cannot write .*none/out.pt · No such file or directory · name a file in"
    ):
        compact_file(tmp_path / "in.pt", tmp_path / "none" / "out.pt")


def test_one_element_that_repeats_is_never_taken_for_elements_of_their_own():
    repeated, own = Region(0, (3,), (0,), 1), Region(0, (3,), (1,), 1)
    one, three = Slices(io.BytesIO(b"a")), Slices(io.BytesIO(b"abc"))
    assert verifying._equal(three, own, 0, three, own, 0)
    assert not verifying._equal(one, repeated, 0, three, own, 0)
    assert not verifying._equal(three, own, 0, one, repeated, 0)


@pytest.mark.parametrize("other", [{"b": torch.ones(2)}, {"a": torch.ones(2, 1)}, {"a": torch.ones(2).int()}])
def test_tensors_of_another_name_type_or_shape_are_told(tmp_path: Path, other: dict[str, Any]) -> None:
    torch.save({"a": torch.ones(2)}, tmp_path / "old.pt")
    torch.save(other, tmp_path / "new.pt")
    with (tmp_path / "old.pt").open("rb") as old, (tmp_path / "new.pt").open("rb") as new:
        archive = take_apart(old, "old.pt", members_of(old))
        verifying.verify(Slices(old), archive, old)
        with pytest.raises(
            BadFileError, match=r"differs in the names, types and shapes of its tensors, and was thrown"
        ):
            verifying.verify(Slices(old), archive, new)


def test_steps_are_joined_only_where_both_files_go_on_in_the_same_way() -> None:
    assert verifying._joined([(2, 4, 8), (3, 8, 16)], 1) == (1, [(6, 4, 8)])
    assert verifying._joined([(2, 4, 8), (3, 8, 99)], 1) == (1, [(2, 4, 8), (3, 8, 99)])
