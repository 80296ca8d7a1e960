"""Losses that an object collects together with their graphs."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines, mended

CODE = "TCY218"
WRONG = cases(
    """
--- appended after the gradient
class Trainer:
    def step(self, x):
        loss = self.net(x).pow(2).mean()
        loss.backward()
        self.losses.append(loss) # here
--- a record in a dict, with a scaler
class Trainer:
    def step(self, x):
        loss = self.net(x).pow(2).mean()
        self.scaler.scale(loss).backward()
        self.records.append({"x": 1, "loss": loss}) # here
--- summed, with a trainer's method
class Trainer:
    def step(self, x, accelerator):
        loss = self.net(x).pow(2).mean()
        accelerator.backward(loss)
        self.total += loss # here
--- returned to the framework
import pytorch_lightning as pl
class Lit(pl.LightningModule):
    def training_step(self, batch, index):
        loss = self.net(batch).mean()
        self.seen["train"].append(loss) # here
        return {"loss": loss}
"""
)
RIGHT = cases(
    """
--- cut before, or on the way
class Trainer:
    def step(self, x):
        loss = self.net(x).pow(2).mean()
        loss.backward()
        self.losses.append(loss.item())
        self.kept.append(loss.detach())
    def other(self, x):
        loss = self.net(x).pow(2).mean()
        loss.backward()
        loss = loss.detach()
        self.losses.append(loss)
--- of something else, or into a local list
class Trainer:
    def step(self, x, found):
        loss = self.net(x).pow(2).mean()
        loss.backward()
        found.append(loss)
        self.outputs.append(x)
--- summed for one gradient later
class Trainer:
    def add(self, x):
        loss = self.net(x).pow(2).mean()
        self.losses.append(loss)
    def step(self):
        total = sum(self.losses)
        total.backward()
        self.losses.clear()
--- the variable is another value by then
import numpy as np
class Trainer:
    def step(self, x):
        parts = []
        for net in self.nets:
            loss = net(x).pow(2).mean()
            loss.backward()
            parts.append(loss.item())
        loss = np.mean(parts)
        self.losses.append(loss)
--- not trained by anybody
class Lit:
    def training_step(self, batch, index):
        loss = self.net(batch).mean()
        self.seen.append(loss)
        return loss
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_loss_kept_with_its_graph_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_values_without_a_graph_and_sums_for_later_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []


def test_the_fix_cuts_the_graph_where_the_loss_is_kept() -> None:
    program = "class T:\n    def f(self, loss):\n        loss.backward()\n        self.kept.append(loss)\n"
    assert mended(program, CODE) == program.replace("append(loss)", "append(loss.detach())")
