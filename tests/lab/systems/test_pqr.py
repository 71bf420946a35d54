from __future__ import annotations

import json

import numpy as np
import pytest

from epochal.encoders.base import unit_rows
from epochal.errors import EpochalError
from epochal.llm.chat import LlmError
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.language_models import PqrSystem, find_centres, make_pqr_system
from epochal_lab.systems.presets import PresetOptions
from epochal_lab.systems.registry import make_system
from tiny_models import ranked

pytestmark = pytest.mark.filterwarnings("ignore")

ASKED = {
    "tariffs rose": ["tariffs in may", "tariffs in 1998", "tariff ?"],
    "rain fell": ["rain in june", "rain in june ?"],
}


class Asking:
    """A model that asks of two kinds of records, and fails on others."""

    name = "asking"

    def __init__(self):
        self.calls = 0

    def complete(self, messages, *, json=False):
        self.calls += 1
        for words, questions in ASKED.items():
            if words in messages[0].content:
                return __import__("json").dumps({"questions": questions})
        raise LlmError("no reply")


def made(bert: str, chat, **settings) -> PqrSystem:
    return PqrSystem(PresetOptions.from_spec(Spec.parse(f"pqr(path={bert}, device=cpu)")), chat, workers=1, **settings)


def test_the_best_of_a_record_s_questions_counts(library, bert, tmp_path):
    chat = Asking()
    answer = ranked(made(bert, chat), tmp_path / "store", "rain in june")
    assert answer.hits[0] == ("d2", pytest.approx(1, abs=1e-5))
    assert dict(answer.hits).keys() == {"d1", "d2", "d3", "d4"}
    assert answer.facts == {"records without questions": "1 of 3"}
    assert chat.calls == 3, "equal texts are asked about once"


def test_replies_are_recorded_and_can_be_replayed(library, bert, tmp_path):
    chat = Asking()
    first = ranked(made(bert, chat), tmp_path / "store", "tariffs in may")
    again = ranked(made(bert, chat), tmp_path / "store", "tariffs in may")
    assert (again, chat.calls) == (first, 4), "only the failure is asked for again"
    calls = tmp_path / "store" / "questions.jsonl"
    assert len(calls.read_text().splitlines()) == 2
    replayed = make_system(f"pqr(path={bert}, recording={calls}, device=cpu)")
    assert ranked(replayed, tmp_path / "other", "tariffs in may").hits == first.hits


def test_a_model_that_never_asks_is_an_error(library, bert, tmp_path):
    class Silent(Asking):
        def complete(self, messages, *, json=False):
            raise LlmError("no reply")

    with pytest.raises(EpochalError, match=r"none of 3 records has a question; the first: no reply$"):
        ranked(made(bert, Silent()), tmp_path, "rain")


def test_questions_and_clusters_are_bounded(library, bert, tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(
        "epochal_lab.systems.language_models.find_centres",
        lambda vectors, count: (sizes.append((len(vectors), count)), find_centres(vectors, count))[1],
    )
    ranked(made(bert, Asking(), questions=2, clusters=1), tmp_path, "rain")
    assert sorted(sizes) == [(1, 1), (2, 1), (2, 1)]


def test_settings():
    result = make_pqr_system(
        Spec.parse("pqr(url=http://localhost:1/v1, llm=small, key=MY_KEY, questions=5, clusters=2)")
    )
    assert (result.chat.name, result.chat.key_variable, result.questions, result.clusters) == ("small", "MY_KEY", 5, 2)
    with pytest.raises(EpochalError, match="clusters must be a whole number from 1"):
        make_pqr_system(Spec.parse("pqr(url=http://localhost:1/v1, llm=small, clusters=0)"))
    with pytest.raises(EpochalError, match="pqr has no setting 'colour'"):
        make_pqr_system(Spec.parse("pqr(colour=red)"))


@pytest.mark.parametrize("seed", range(5))
def test_centres_of_groups_that_lie_apart(seed):
    chance = np.random.default_rng(seed)
    truth = np.eye(4, 16)
    points = unit_rows(np.concatenate([truth + 0.02 * chance.normal(size=truth.shape) for _ in range(6)]))
    result = find_centres(points, 4)
    assert np.allclose(np.linalg.norm(result, axis=1), 1, atol=1e-5)
    assert sorted((result @ truth.T).argmax(1).tolist()) == [0, 1, 2, 3]
    assert (result @ truth.T).max(1).min() > 0.99
    assert (find_centres(points, 4) == result).all()


def test_fewer_vectors_than_centres_stay_as_they_are():
    points = unit_rows([[1, 0], [0, 1]])
    assert find_centres(points, 4) is points
    assert len(find_centres(unit_rows([[1, 0]] * 6), 4)) == 1
    assert json.dumps(find_centres(unit_rows([[1, 0]] * 6), 4).tolist()) == "[[1.0, 0.0]]"
