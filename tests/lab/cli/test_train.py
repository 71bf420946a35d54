"""`epochal train`: its models, the options they share, and the files of a run."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from epochal.errors import MissingExtraError
from epochal_lab.cli import train as running
from epochal_lab.models.training.settings import TrainSettings

DEFAULTS = TrainSettings(epochs=3, rate=1e-3, device="cpu")


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    running.add_options(parser, DEFAULTS)
    return parser.parse_args(words)


def test_every_option_reaches_the_settings():
    words = (
        "--epochs 7 --batch-size 8 --rate 0.5 --seed 9 --device cuda --precision bf16 --max-steps 11 --max-seconds 1.5"
    )
    given = parsed(*words.split())
    assert running.read_train_settings(given, DEFAULTS) == TrainSettings(
        epochs=7, batch_size=8, rate=0.5, seed=9, device="cuda", precision="bf16", max_steps=11, max_seconds=1.5
    )
    assert not given.resume


def test_what_is_not_given_is_as_the_model_says():
    assert running.read_train_settings(parsed("--resume"), DEFAULTS) == DEFAULTS
    assert parsed("--resume").resume


def test_a_seed_of_nought_is_given():
    assert running.read_train_settings(parsed("--seed", "0"), DEFAULTS).seed == 0


def test_models_are_shown(run):
    code, out, _ = run("train", "--help")
    assert code == 0
    assert {"gate", "re3", "re3-times", "ctd", "annals-encoder"} <= set(out.split())


def test_a_model_is_needed(complaint):
    assert "MODEL" in complaint("train")


def test_other_commands_load_no_torch():
    code = "import sys; from epochal.cli import main; main(['when', '1998']); print('torch' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.splitlines()[-1] == "False"


def test_without_torch_one_is_reported_how_to_get_it(monkeypatch):
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as caught:
        running.need_torch("training ctd")
    assert str(caught.value) == "training ctd needs the package torch; install it with: pip install 'epochal[train]'"


@pytest.fixture
def line():
    torch = pytest.importorskip("torch")

    class Line:
        def __init__(self) -> None:
            self.model = torch.nn.Linear(1, 1)

        def steps_per_epoch(self, settings):
            return 4

        def batches(self, epoch, settings):
            return ({"x": torch.ones(settings.batch_size, 1), "tokens": settings.batch_size} for _ in range(4))

        def loss(self, batch):
            return {"loss": self.model(batch["x"]).square().mean()}

        def evaluate(self):
            return {"weight": abs(self.model.weight.item())}

    return Line()


def test_a_run_leaves_its_card_and_curves(line, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    run = running.train_with_progress(line, DEFAULTS, tmp_path, resume=False, label="line")
    message = capsys.readouterr().err
    assert message.startswith("epochal: 12 steps in ")
    assert "tokens/s; best after " in message
    running.write_report(run, tmp_path, "line", {"Data": "ones"})
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "## Data\n\nones" in (tmp_path / "card.md").read_text()
    assert json.loads((tmp_path / "run.json").read_text())["steps"] == 12


def test_without_matplotlib_the_card_is_there_and_a_line_says_what_is_not(line, tmp_path, capsys, monkeypatch):
    run = running.train_with_progress(line, DEFAULTS, tmp_path, resume=False, label="line")
    capsys.readouterr()
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    running.write_report(run, tmp_path, "line", {})
    assert capsys.readouterr().err.startswith("epochal: the learning curves are not drawn")
    assert not Path(tmp_path / "curves.png").exists()
    assert Path(tmp_path / "card.md").exists()


def test_gate_needs_questions(complaint, tmp_path):
    assert "--from" in complaint("train", "gate", "-o", tmp_path / "gate.json")
