from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery, BenchSet
from epochal_lab.metrics import DocumentTimes, QueryTimes, Verdict
from epochal_lab.metrics.runs import stated_times

MADE = BenchSet(
    "own",
    (
        Document("dated", "Ann won.", published=Span.year(1999), meta={"times": ["1998", "2001-05"]}),
        Document("published", "Bob won.", published=Span.year(2003)),
        Document("undated", "Cid won."),
    ),
    (
        BenchQuery("q1", "Who?", now=Span.year(2020), periods=(Span.year(1998),), excluded=("undated",)),
        BenchQuery("q2", "Who else?"),
    ),
    {"q1": {"dated": 1}},
    {"q1": (frozenset({"dated"}),)},
)


def test_a_set_gives_all_that_it_knows():
    verdicts = {"q1": {"dated": Verdict(True)}}
    judged = MADE.judgements(verdicts)
    assert judged.qrels == {"q1": {"dated": 1}}
    assert judged.period_qrels == {"q1": (frozenset({"dated"}),)}
    assert judged.verdicts is verdicts
    assert judged.documents == {
        "dated": DocumentTimes((Span.year(1998), Span.parse("2001-05")), Span.year(1999)),
        "published": DocumentTimes((), Span.year(2003)),
    }
    assert judged.queries == {"q1": QueryTimes((Span.year(1998),), Span.year(2020)), "q2": QueryTimes()}
    assert judged.excluded == {"q1": frozenset({"undated"})}
    assert judged.query_ids == ("q1", "q2")


def test_times_may_be_read_by_another():
    judged = MADE.judgements(times=lambda document: [Span.year(1066)] if document.id == "undated" else [])
    assert judged.documents["undated"].content == (Span.year(1066),)
    assert judged.documents["dated"].content == ()


@pytest.mark.parametrize("times", ["1998", ["soonish"], [1998], {"a": 1}])
def test_times_that_are_none_are_refused(times):
    with pytest.raises(EpochalError, match="the times of document 'd1'"):
        stated_times(Document("d1", "Rain.", meta={"times": times}))


def test_gaps_of_a_verdict():
    assert Verdict(None, (None, True, None)).gaps == 3
    assert Verdict(False, (False,)).gaps == 0
