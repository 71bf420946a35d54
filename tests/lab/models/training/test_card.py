from __future__ import annotations

from dataclasses import replace

import pytest

from epochal_lab.models.training.settings import TrainSettings
from epochal_lab.models.training.trainer import TrainRun, format_model_card

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
