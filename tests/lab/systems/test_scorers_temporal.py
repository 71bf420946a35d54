"""TempRALM, time decay and the symbolic matcher by hand."""

from __future__ import annotations

import numpy as np
import pytest

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Grain, Span
from epochal_lab.systems.scorers import Symbolic, TimeDecay
from epochal_lab.systems.temporal_scorers import TempRALM
from lab.systems.test_scorers_pool import DAY, PRIZES, Counting, pool_of

RATES = [
    Document("old", "Rates rise.", published=Span.parse("2026-11-05")),
    Document("new", "Rates fall.", published=Span.parse("2026-11-14")),
    Document("next", "Rates stay.", published=Span.parse("2026-12-01")),
    Document("none", "Rates and rates."),
]
NOW = "2026-11-15"


def tau_by_hand(raw: np.ndarray, meaning: np.ndarray) -> np.ndarray:
    return (raw - raw.mean()) / raw.std() * meaning.std() + meaning.mean()


def test_tempralm_for_a_time_asked_for():
    encoder = Counting()
    with pool_of(PRIZES, "Who got the prize in 1903?", encoder=encoder) as pool:
        scored = TempRALM(encoder=encoder).score(pool)
        meaning = pool.view.score_vectors(encoder.encode_queries([pool.question])[0], pool.rows)
    year = Grain.YEAR.seconds
    # 1901 ends a year before 1903, so it lies two years away; the date of 1905 a year and 121 days, and one year more.
    raw = np.array([1 / (365 * DAY + year), 1 / DAY, 1 / ((366 + 121) * DAY + year), 0.0])
    assert scored.parts["semantic"] == pytest.approx(meaning)
    assert scored.parts["temporal"] == pytest.approx(tau_by_hand(raw, meaning))
    assert int(scored.scores.argmax()) == 1


def test_tempralm_for_the_present_rules_out_the_future():
    encoder = Counting()
    with pool_of(RATES, "rates", NOW, encoder) as pool:
        scored = TempRALM(encoder=encoder).score(pool)
        meaning = pool.semantic
    kept = [0, 1, 3]
    # Nine days lie between the 5th and the 15th, so the 5th is ten days ago, and the 14th one.
    raw = np.array([1 / (10 * DAY), 1 / DAY, 0.0])
    assert scored.parts["temporal"][kept] == pytest.approx(tau_by_hand(raw, meaning[kept]))
    assert np.argsort(-scored.scores)[-1] == 2
    assert scored.scores[2] < -900


def test_tempralm_without_any_time_is_the_semantic_score():
    with pool_of(RATES, "rates", None, Counting()) as pool:
        scored = TempRALM().score(pool)
        assert list(scored.parts) == ["semantic"]
        assert scored.scores == pytest.approx(pool.semantic)


def test_least_must_be_a_length():
    with pytest.raises(EpochalError, match="least of scorer 'tempralm' must be a number of seconds above 0, but is 0"):
        TempRALM(least=0)


def test_decay_by_hand():
    with pool_of(RATES, "rates", NOW) as pool:
        scored = TimeDecay("lexical").score(pool)
        # Ages run from the end of a day to the start of the present one: 9 days, none, and none for the future. The
        # middle of these three is none, and that is what a document without a date has.
        fading = np.exp([-0.01 * 9, 0, 0, 0])
        assert scored.scores == pytest.approx(pool.lexical * fading)
        assert scored.parts["age"] == pytest.approx(pool.lexical * (fading - 1))
        zero = TimeDecay("lexical", future="zero").score(pool)
        assert zero.scores[2] == 0
        assert zero.scores[3] == pytest.approx(pool.lexical[3] * np.exp(-0.09))


def test_decay_of_the_cosine():
    encoder = Counting()
    with pool_of(RATES, "rates", NOW, encoder) as pool:
        scored = TimeDecay(rate=0.1, encoder=encoder).score(pool)
        assert scored.scores == pytest.approx(pool.semantic * np.exp([-0.9, 0, 0, 0]))


@pytest.mark.parametrize("relevance", ["semantic", "lexical"])
def test_decay_needs_a_present(relevance):
    with (
        pool_of(RATES, "rates", None, Counting()) as pool,
        pytest.raises(EpochalError, match="counts ages from the present, but the search has none; accepted: a now"),
    ):
        TimeDecay(relevance).score(pool)


def test_settings_of_decay_are_checked():
    with pytest.raises(EpochalError, match="no relevance is called 'both'; known: semantic, lexical"):
        TimeDecay("both")  # type: ignore[arg-type]
    with pytest.raises(EpochalError, match=r"must be a number above 0 \(parts a day\), but is 0"):
        TimeDecay(rate=0)


def test_the_symbolic_matcher_puts_exact_times_first():
    with pool_of(PRIZES, "Who got the prize before 1902?") as pool:
        scored = Symbolic().score(pool)
        assert scored.parts["symbolic"].tolist() == [1, 0, 0, 0]
        assert (scored.parts["lexical"] < 1).all()
        rest = [1, 2, 3]
        assert np.argsort(-scored.scores[rest]).tolist() == np.argsort(-pool.lexical[rest]).tolist()


@pytest.mark.parametrize(
    ("relation", "kept"),
    [("overlaps", [1, 1, 1]), ("during", [1, 0, 1]), ("contains", [0, 1, 0]), ("equals", [0, 0, 1])],
)
def test_the_symbolic_matcher_knows_relations(relation, kept):
    documents = [
        Document("a", "prize", published=Span.parse("1903-05")),
        Document("b", "prize", published=Span.parse("1902/1904")),
        Document("c", "prize", published=Span.parse("1903")),
    ]
    with pool_of(documents, "prize in 1903") as pool:
        assert Symbolic(relation).score(pool).parts["symbolic"].tolist() == kept


def test_more_windows_satisfied_stand_higher():
    documents = [Document("one", "fees fees fees of 2017"), Document("two", "fees of 2017 and of 2020")]
    with pool_of(documents, "Compare fees in 2017 and in 2020") as pool:
        assert len(pool.windows) == 2
        assert Symbolic().score(pool).parts["symbolic"].tolist() == [1, 2]


def test_without_a_window_the_symbolic_matcher_is_bm25():
    with pool_of(PRIZES, "prize Bert") as pool:
        scored = Symbolic().score(pool)
        assert np.argsort(-scored.scores).tolist() == np.argsort(-pool.lexical).tolist()
    with pytest.raises(EpochalError, match="no relation is called 'near'"):
        Symbolic("near")
