from __future__ import annotations

import json
import sys

import pytest

from epochal.errors import EpochalError, MissingExtraError
from epochal_lab.models.training.journal import collect_series, draw_curves

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


def test_without_matplotlib_one_is_told_how_to_get_it(log, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    with pytest.raises(MissingExtraError, match="drawing learning curves needs the package matplotlib"):
        draw_curves(log, tmp_path / "curves.png")
