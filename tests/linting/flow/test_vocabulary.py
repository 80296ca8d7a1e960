"""The vocabulary says of torch's functions what torch's own schemas say of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tensorcopy.linting.flow import vocabulary as words


def schemas(name: str) -> Iterator[Any]:
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        if not any(argument.is_out for argument in schema.arguments):
            yield schema


def gives_new_tensor(schema: Any) -> bool:
    return [str(r.type) for r in schema.returns] == ["Tensor"] and schema.returns[0].alias_info is None


@pytest.mark.parametrize("name", sorted(words.COMPUTED | words.METHODS | words.FACTORIES))
def test_what_computes_one_tensor_returns_a_new_one(name: str) -> None:
    found = [s for s in schemas(name) if any("Tensor" in str(a.type) for a in (*s.arguments, *s.returns))]

    assert any(gives_new_tensor(schema) for schema in found)


@pytest.mark.parametrize("name", sorted(words.METHODS_MANY | words.COMPUTED_MANY))
def test_what_computes_several_has_a_form_that_returns_more_than_one(name: str) -> None:
    assert any(
        len(s.returns) > 1 or "Tensor[]" in str(s.returns[0].type) or "List" in str(s.returns[0].type)
        for s in schemas(name)
    )


@pytest.mark.parametrize("name", sorted(words.ONLY_TENSORS))
def test_what_only_tensors_have_numpy_and_modules_do_not(name: str) -> None:
    import numpy

    assert hasattr(torch.Tensor, name)
    assert not hasattr(numpy.ndarray, name)
    assert not hasattr(torch.nn.Module, name)
