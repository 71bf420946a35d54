from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest
import torch

from epochal.errors import EpochalError, InputError, MissingExtraError
from epochal_lab.models.training.device import LossMeter
from epochal_lab.models.training.journal import Journal, collect_series, draw_curves, read_journal
from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import TrainRun, format_model_card


def test_lines_are_there_at_once(tmp_path):
    journal = Journal(tmp_path / "log.jsonl")
    journal.write({"step": 1, "note": "隐公"})
    assert read_journal(tmp_path / "log.jsonl") == journal.rows == [{"step": 1, "note": "隐公"}]


def test_a_resumed_log_forgets_what_came_after_its_state(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1}\n{"step": 4}\n{"step": 5}\n{"st')
    journal = Journal(path, keep=2)
    journal.write({"step": 5, "again": True})
    assert read_journal(path) == [{"step": 1}, {"step": 4}, {"step": 5, "again": True}]


def test_a_new_log_begins_empty(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 1}\n')
    Journal(path)
    assert path.read_text() == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"step": 1}\n{"st\n{"step": 2}\n', "line 2: is no JSON"),
        ("[1]\n", "line 1: is no line of a log"),
        ('{"step": "1"}\n', "line 1: is no line of a log"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, message):
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_journal(path)


def test_a_name_that_comes_now_and_then_has_the_mean_of_its_own():
    meter = LossMeter()
    meter.add({"loss": torch.tensor(1.0), "rare": torch.tensor(4.0)}, 1)
    meter.add({"loss": torch.tensor(3.0)}, 2)
    assert meter.means() == {"loss": 2.0, "rare": 4.0}
    assert meter.latest == "2.0000"


def test_what_is_added_may_change_later():
    value = torch.tensor(1.0)
    meter = LossMeter()
    meter.add({"loss": value}, 1)
    value += 5
    assert meter.means() == {"loss": 1.0}


def test_no_gradients_are_kept():
    weight = torch.ones(1, requires_grad=True)
    meter = LossMeter()
    meter.add({"loss": (weight * 2).sum()}, 1)
    meter.add({"loss": (weight * 2).sum()}, 2)
    assert not meter._sums["loss"].requires_grad


def test_pouring_and_saving_keep_sums():
    first, second = LossMeter(), LossMeter()
    for number in range(3):
        first.add({"loss": torch.tensor(0.1 * number)}, number)
    first.drain_into(second)
    first.add({"loss": torch.tensor(0.7)}, 4)
    first.drain_into(second)
    other = LossMeter()
    other.load(json.loads(json.dumps(second.dump())))
    assert other.means() == second.means() == {"loss": pytest.approx(0.25)}


def test_only_the_loss_itself_must_be_a_number():
    meter = LossMeter()
    meter.add({"loss": torch.tensor(1.0), "other": torch.tensor(float("nan"))}, 1)
    with pytest.raises(EpochalError, match="the loss of step 2 is inf"):
        meter.add({"loss": torch.tensor(float("inf"))}, 2)


ROWS = [
    {"step": 5, "rate": 0.1, "losses": {"loss": 2.0, "time": None}},
    {"step": 8, "rate": 0.05, "losses": {"loss": 1.0, "time": 0.5}, "metrics": {"hit@1": 0.4}, "best": True},
]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    return path


def test_what_is_missing_has_no_point():
    assert collect_series(ROWS, "losses") == {"loss": [(5, 2.0), (8, 1.0)], "time": [(8, 0.5)]}
    assert collect_series(ROWS, "metrics") == {"hit@1": [(8, 0.4)]}


def test_a_picture_of_every_curve(log, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    seen = []
    save = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *a, **k: (seen.append(figure), save(figure, *a, **k)))
    draw_curves(log, tmp_path / "curves.png", "ctd")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    axes = seen[0].axes
    assert [panel.get_ylabel() for panel in axes] == ["loss (training)", "time (training)", "hit@1", "rate"]
    assert axes[0].lines[0].get_xydata().tolist() == [[5, 2], [8, 1]]
    assert axes[0].lines[1].get_xdata() == [8, 8]


def test_an_empty_log(tmp_path):
    (tmp_path / "log.jsonl").write_text("")
    with pytest.raises(EpochalError, match="has no lines; there is nothing to draw"):
        draw_curves(tmp_path / "log.jsonl", tmp_path / "curves.png")


def test_without_matplotlib_one_is_reported_how_to_get_it(log, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    with pytest.raises(MissingExtraError, match="drawing learning curves needs the package matplotlib"):
        draw_curves(log, tmp_path / "curves.png")


RUN = TrainRun(
    TrainSettings(clip=None), 1400, 2, 700, {"hit@1": 0.5}, (), 3725.0, None, None, "cpu", "2.4.0", "patience"
)


def test_a_card_tells_the_run():
    card = format_model_card("ctd", RUN, {"Data": {"a|b": "x\ny"}}, about="Dates records.")
    assert card.startswith("# ctd\n\nDates records.\n\n## Data\n")
    assert "| a\\|b | x y |" in card
    assert "after 700 of 1,400 steps" in card
    assert "| time | 3,725 s |" in card
    assert "| ended because | evaluations brought no more gain |" in card
    assert "| clip | none |" in card
    assert "GPU" not in card


def test_what_a_gpu_tells():
    card = format_model_card("ctd", replace(RUN, tokens_per_second=123456.7, peak_memory_bytes=3 * 2**30), {})
    assert "| tokens a second | 123,457 |" in card
    assert "| memory of the GPU at most | 3.00 GiB |" in card


@pytest.mark.parametrize("stopped", ["epochs", "patience", "steps", "time"])
def test_every_end_has_words(stopped):
    assert "| ended because | " in format_model_card("ctd", replace(RUN, stopped=stopped), {})
