from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from epochal.ranking.pool import Window
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.judges.base import judge_pairs
from epochal_lab.judges.evidence import FEATURES, Background, match_evidence, read_document, read_question_terms
from epochal_lab.judges.spans import Calibration, SpanJudge, load_default_calibration
from epochal_lab.metrics.evaluation import parse_measure
from epochal_lab.metrics.runs import Judgements, Verdict

JUDGE = SpanJudge()
TOLLS = BenchQuery("q", "How did the tolls of the bridge differ in 1850 and in 1990?",
                   periods=(Span.year(1850), Span.year(1990)))  # fmt: skip
EARLY = Document("early", "The bridge was opened in 1849. In 1850 its tolls were doubled.")
LATE = Document("late", "Tolls on the bridge were given up in 1990.")
BOTH = Document("both", "In 1850 the tolls of the bridge were a penny. By 1990 the tolls were a pound.")
NEITHER = Document("neither", "The bridge was opened in 1849.")


def covers(document: Document) -> tuple[bool | None, ...]:
    verdict = JUDGE.judge(TOLLS, document)
    assert verdict is not None
    return verdict.covers


def test_coverage_of_two_periods():
    assert covers(EARLY) == (True, False)
    assert covers(LATE) == (False, True)
    assert covers(BOTH) == (True, True)
    assert covers(NEITHER) == (False, False)


@pytest.mark.parametrize(
    ("documents", "coverage"),
    [([EARLY], 0.5), ([LATE], 0.5), ([EARLY, LATE], 1.0), ([BOTH], 1.0), ([NEITHER], 0.0)],
)
def test_temporal_coverage_of_what_was_found(documents, coverage):
    judged = judge_pairs(JUDGE, [(TOLLS, document) for document in documents])
    run = {"q": {document.id: -float(position) for position, document in enumerate(documents)}}
    result = parse_measure("TC@10").per_query(run, Judgements(verdicts=judged.verdicts))
    assert result == {"q": coverage}


def test_relevant_is_whatever_covers_a_period():
    assert JUDGE.judge(TOLLS, EARLY) == Verdict(True, (True, False))
    assert JUDGE.judge(TOLLS, NEITHER) == Verdict(False, (False, False))


def test_the_words_around_a_time_count():
    window = BenchQuery("q", "Who won the Nobel Prize in Physics in 1901?", periods=(Span.year(1901),))
    won = Document("won", "Wilhelm Röntgen\nThe Nobel Prize in Physics 1901.\nBorn: 27, Mar, 1845")
    born = Document("born", "Werner Heisenberg\nThe Nobel Prize in Physics 1932.\nBorn: 5, Dec, 1901")
    matches = JUDGE.explain(window, won), JUDGE.explain(window, born)
    assert matches[0] is not None
    assert matches[1] is not None
    assert matches[0].scores[0] > matches[1].scores[0]
    assert [item.verdict.relevant for item in matches] == [True, False]


def test_the_end_of_a_long_document_is_read():
    long = Document("long", "The bridge stands by the river. " * 500 + "In 1990 the tolls of the bridge were given up.")
    assert len(long.text) > 15_000
    assert covers(long) == (False, True)


def test_a_question_without_time_has_no_verdict():
    assert JUDGE.judge(BenchQuery("q", "What is a Merkle tree?"), EARLY) is None


@pytest.mark.parametrize(
    ("question", "helps", "does_not"),
    [
        (
            "When was the bridge over the Severn opened?",
            "The bridge over the Severn was opened in 1779.",
            "The bridge over the Severn was opened by the mayor.",
        ),
        (
            "How long did the strike of the miners last?",
            "The strike of the miners lasted eleven months.",
            "The strike of the miners was bitter.",
        ),
        (
            "How long did the strike of the miners last?",
            "The strike of the miners lasted from March 1984 to March 1985.",
            "The strike of the miners was bitter.",
        ),
        (
            "Who was archon of Athens in 594 BCE?",
            "Solon was archon of Athens in 594 BCE.",
            "Solon was archon of Athens, and sailed to Egypt in 590 CE.",
        ),
    ],
)
def test_a_question_without_periods_is_judged_by_its_focus(question, helps, does_not):
    query = BenchQuery("q", question)
    assert JUDGE.judge(query, Document("a", helps)) == Verdict(True)
    assert JUDGE.judge(query, Document("b", does_not)) == Verdict(False)


def test_what_is_recent_depends_on_the_present():
    query = "What is the latest price of copper?"
    price = Document("a", "The price of copper rose to 9,000 dollars in November 2026.")
    assert JUDGE.judge(BenchQuery("q", query, now=Span.parse("2026-11-15")), price) == Verdict(True)
    assert JUDGE.judge(BenchQuery("q", query, now=Span.parse("2031-11-15")), price) == Verdict(False)
    unknown = JUDGE.explain(BenchQuery("q", query), price)
    assert unknown is not None
    assert unknown.verdict == Verdict(None)
    assert unknown.scores == ()


def test_what_is_known_of_a_document_counts():
    bare = Document("a", "The tolls of the bridge were doubled.")
    assert covers(bare) == (False, False)
    assert covers(Document("a", bare.text, meta={"times": ["1850"]})) == (True, False)
    assert covers(Document("a", bare.text, published=Span.parse("1990-05"))) == (False, True)
    assert covers(Document("a", bare.text, valid=Span.parse("1840/1860"))) == (True, False)
    assert covers(Document("a", bare.text, "Tolls in 1850")) == (True, False)


def test_any_number_of_periods():
    years = tuple(Span.year(year) for year in range(1850, 1855))
    query = BenchQuery("q", "How did the tolls change over the years?", periods=years)
    verdict = JUDGE.judge(query, Document("a", "The tolls rose in 1851 and the tolls fell in 1854."))
    assert verdict == Verdict(True, (False, True, False, False, True))


def test_verdicts_do_not_depend_on_what_was_judged_before_or_at_once():
    documents = [Document(f"d{n}", f"In {1840 + n} the tolls of the bridge rose.") for n in range(30)]
    alone = [SpanJudge().explain(TOLLS, document) for document in documents]
    pairs = [(TOLLS, document) for document in documents]
    assert list(judge_pairs(SpanJudge(), pairs, workers=4).judgements) == alone
    same = SpanJudge()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda pair: same.explain(*pair), pairs * 2)) == alone * 2


def test_documents_of_one_id_and_different_texts_are_different():
    judge = SpanJudge()
    assert judge.judge(TOLLS, Document("d", EARLY.text)) != judge.judge(TOLLS, Document("d", LATE.text))


def test_the_reason_quotes_the_time():
    result = JUDGE.explain(TOLLS, EARLY)
    assert result is not None
    assert result.reason == "1850: '1850'; 1990: no"
    assert result.judge == "spans"


def test_features_only_raise_a_score():
    assert all(weight >= 0 for weight in load_default_calibration().weights)
    assert load_default_calibration().provenance["command"] == "python studies/judge_agreement.py --fit"


def test_a_threshold_of_its_own():
    never = Calibration((0.0,) * len(FEATURES), -5.0, 0.9)
    assert SpanJudge(calibration=never).judge(TOLLS, BOTH) == Verdict(False, (False, False))
    assert SpanJudge(calibration=never).name == "spans, own calibration"


def test_words_that_no_document_uses_do_not_count_against_one():
    window = BenchQuery("q", "Which gentleman chaired the illustrious committee in 1990?", periods=(Span.year(1990),))
    chaired = Document("a", "Bob chaired the committee from 1989 to 1991.")
    other = Document("b", "The committee met in a tent in 1990.")
    scores = []
    for background in (None, Background.of([chaired, other])):
        matches = [SpanJudge(background).explain(window, document) for document in (chaired, other)]
        scores.append([item.scores[0] for item in matches if item is not None])
    assert scores[1][0] > scores[0][0]
    assert scores[1][0] - scores[1][1] > scores[0][0] - scores[0][1]


def test_features_stay_within_their_bounds():
    terms = read_question_terms("tolls of the bridge")
    for document in (EARLY, LATE, BOTH, NEITHER, Document("none", "")):
        result = match_evidence(terms, Window(Span.year(1850)), read_document(document)).features
        assert result.shape == (len(FEATURES),)
        assert (result >= 0).all()
        assert (result <= 1).all()
    assert not np.any(match_evidence(terms, Window(Span.year(1850)), read_document(Document("none", ""))).features)


def test_one_of_the_events_that_a_question_compares_is_evidence():
    query = BenchQuery(
        "q", "Which was earlier, the opening of the northern lighthouse or the strike of the dockers in 1976?"
    )
    judge = SpanJudge()
    strike = Document("strike", "In 1976 the strike of the dockers lasted for weeks.")
    light = Document("light", "The opening of the northern lighthouse was celebrated in 1961.")
    other = Document("other", "In 1976 the harbour had a warm summer.")
    assert [judge.judge(query, document).relevant for document in (strike, light, other)] == [True, True, False]


def test_a_question_that_compares_nothing_is_not_split():
    query = BenchQuery("q", "Who led the choir and the orchestra in 1976?")
    assert SpanJudge().judge(query, Document("d", "The orchestra of the town was founded in 1931.")).relevant is False
