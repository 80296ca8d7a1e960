"""Training loops of other libraries, where these are installed: the same losses, nothing to fix, nothing missing."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import tensorcopy
from tensorcopy.tracing.captures.capture import read

PROGRAMS = {
    "lightning": """
import lightning
import torch

class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net, self.losses = torch.nn.Linear(4, 1), []

    def training_step(self, batch, index):
        x, y = batch
        loss = (self.net(x) - y).pow(2).mean()
        self.log("loss", loss)
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch, index):
        self.log("validation", (self.net(batch[0]) - batch[1]).pow(2).mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)

lightning.seed_everything(0, verbose=False)
data = torch.utils.data.TensorDataset(torch.rand(32, 4), torch.rand(32, 1))
net, loader = Net(), torch.utils.data.DataLoader(data, batch_size=8)
quiet = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)
lightning.Trainer(max_epochs=2, accelerator="cpu", **quiet).fit(net, loader, loader)
print(net.losses)
""",
    "transformers": """
import tempfile
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(0)
sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
model = BertForSequenceClassification(BertConfig(vocab_size=50, max_position_embeddings=16, num_labels=2, **sizes))
mask = torch.ones(8, dtype=torch.long)
data = [{"input_ids": torch.randint(0, 50, (8,)), "attention_mask": mask, "labels": i % 2} for i in range(16)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(folder, max_steps=6, per_device_train_batch_size=4, use_cpu=True, logging_steps=1,
                                  disable_tqdm=True, report_to=[], save_steps=3)
    trainer = Trainer(model=model, args=arguments, train_dataset=data, eval_dataset=data)
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    print("losses", losses, trainer.evaluate()["eval_loss"])
""",
}
STEPS = {"lightning": 8, "transformers": 6}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_trainer_gives_the_same_losses_and_nothing_to_fix(name: str, tmp_path: Path) -> None:
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    (tmp_path / "train.py").write_text(PROGRAMS[name])
    alone = _losses(tmp_path, "train.py")
    # However slow the machine, all steps are followed in full.
    recorded = _losses(tmp_path, "-m", "tensorcopy", "run", "--steps", "99", "train.py")
    capture = read(tmp_path / "tensorcopy.capture")

    assert recorded == alone != ""
    assert (capture.ended, capture.steps, capture.limits, capture.findings) == ("normally", STEPS[name], (), ())


def _losses(folder: Path, *command: str) -> str:
    """The last line that a program prints, which holds its losses; the others have times."""
    paths = [str(Path(tensorcopy.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]
