"""What the fix of TCY104 writes runs: it brings the import that it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorcopy.cli.main import main

PROGRAM = '''"""Train."""
{}import torch

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
best, least = None, 1e9
for _ in range(3):
    loss = model(torch.ones(1, 1)).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if loss.item() < least:
        least, best = loss.item(), model.state_dict()
print(best["weight"])
'''


@pytest.mark.parametrize("there", ["", "import copy\n"])
def test_the_mended_program_imports_copy_once_and_runs(
    there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(there))

    assert main(["check", "--no-cache", "--fix", "--unsafe-fixes", str(path)]) == 0
    text = path.read_text()
    assert (text.count("import copy"), "copy.deepcopy(model.state_dict())" in text) == (1, True)
    exec(compile(text, str(path), "exec"), {})
