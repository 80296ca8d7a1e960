"""Every warning and error of the catalogue is provoked on the installed releases, recognised, and its advice works."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tensorcopy.catalogue import find
from tensorcopy.catalogue.messages import Message, messages, nearest, recognised, themes
from tensorcopy.catalogue.model import reached

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
RELEASES = {"torch": torch.__version__, "numpy": np.__version__}
ALL = [pytest.param(message, id=message.name) for message in messages().values()]


@pytest.fixture(autouse=True)
def _every_warning_every_time() -> Iterator[None]:
    """torch gives some warnings only once in a process."""
    before, of_storages = torch.is_warn_always_enabled(), torch.storage._get_always_warn_typed_storage_removal()
    torch.set_warn_always(True)
    torch.storage._set_always_warn_typed_storage_removal(True)
    yield
    torch.set_warn_always(before)
    torch.storage._set_always_warn_typed_storage_removal(of_storages)


def names() -> dict[str, Any]:
    return {"torch": torch, "np": np, "__name__": "advice"}


def provoked(message: Message) -> list[tuple[str, str]]:
    """Class and text of the warnings, and of the error with its traceback if there is one."""
    scope = names()
    exec(message.setup, scope)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = []
        try:
            exec(compile(message.provoke, "<pasted>", "exec"), scope)
        except Exception as error:
            found = [(type(error).__name__, traceback.format_exc())]
    return [*((warning.category.__name__, str(warning.message)) for warning in caught), *found]


def holds_here(message: Message) -> bool:
    return reached(message.since, RELEASES) and not (message.until and reached(message.until, RELEASES))


@pytest.mark.parametrize("message", ALL)
def test_the_code_that_is_said_to_bring_it_about_does(message: Message) -> None:
    if not holds_here(message):
        pytest.skip(f"only with {message.since or message.until}")
    seen = [(category, [m.name for m in recognised(text)]) for category, text in provoked(message)]
    assert {category for category, found in seen if message.name in found} == {message.category}


@pytest.mark.parametrize("message", ALL)
def test_what_is_advised_works_without_any_warning(message: Message) -> None:
    scope = names()
    exec(message.setup, scope)
    exec(message.write, scope)
    assert eval(message.holds, scope) is True or eval(message.holds, scope) == np.True_


@pytest.mark.parametrize("message", ALL)
def test_only_its_own_texts_are_taken_for_it(message: Message) -> None:
    for text in (message.text, *message.also):
        assert [found.name for found in recognised(text)] == [message.name]


@pytest.mark.parametrize("message", ALL)
def test_a_text_is_recognised_in_a_terminal_s_clothes(message: Message) -> None:
    for text in (message.text, *message.also):
        folded = "\n    ".join(text[k : k + 30] for k in range(0, len(text), 30))
        for dressed in (
            folded,
            f"\x1b[31m{text.upper()}\x1b[0m",
            f"> {text.replace(' ', '  ')}",
            text.replace("'", "’"),
        ):
            assert [found.name for found in recognised(dressed)] == [message.name]


@pytest.mark.parametrize("message", ALL)
def test_the_operations_that_tell_more_are_in_the_catalogue(message: Message) -> None:
    assert [name for name in message.operations if not find(name)] == []


def test_a_traceback_with_several_texts_gives_them_in_their_order() -> None:
    text = f"UserWarning: {messages()['tensor-of-tensor'].text}\nRuntimeError: {messages()['backward-twice'].text}"
    assert [found.name for found in recognised(text)] == ["tensor-of-tensor", "backward-twice"]


def test_a_message_is_found_by_its_name() -> None:
    assert [found.name for found in recognised(" backward-twice\n")] == ["backward-twice"]


@pytest.mark.parametrize(
    "text", ["", "KeyError: 'a'", "torch.as_tensor", "x.detach().clone()", "TCY101", "a" * 100_000]
)
def test_other_texts_are_not_taken_for_any(text: str) -> None:
    assert recognised(text) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RuntimeError: the numpy array was not writable by pytorch", "array-not-writable"),
        ("gradient computation variable modified inplace", "modified-in-place"),
        ("cannot avoid a copy while making an array", "copy-unavoidable"),
    ],
)
def test_a_text_in_other_words_gives_the_nearest_ones(text: str, name: str) -> None:
    assert recognised(text) == ()
    assert name in [found.name for found in nearest(text)]


def test_nothing_is_near_a_text_about_something_else() -> None:
    assert nearest("quux 17") == nearest("") == ()


def test_a_huge_text_is_searched_in_little_time_by_patterns_that_cannot_run_away() -> None:
    hostile = "expected scalar type " * 20_000 + "output of is a view" * 20_000
    assert recognised(hostile) == ()


def test_there_are_messages_of_every_kind() -> None:
    assert len(messages()) >= 45
    assert sorted(themes()) == [
        "arrays_to_tensors", "dtypes", "files_and_devices", "graph", "in_place", "lists_to_tensors", "numpy_arrays",
        "shapes", "tensors_to_arrays",
    ]  # fmt: skip
