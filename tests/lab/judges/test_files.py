from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, InputError
from epochal.times import Span
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.judges.base import Judgement, group_verdicts, make_missing_verdict, read_judgements, write_judgements
from epochal_lab.metrics.runs import Verdict

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
told = st.sampled_from([True, False, None])


@st.composite
def judgements(draw):
    covers = tuple(draw(st.lists(told, max_size=3)))
    wanted = st.lists(st.floats(0, 1), min_size=1 + len(covers), max_size=1 + len(covers))
    scores = tuple(draw(st.just([]) | wanted))
    return Judgement(draw(texts), draw(texts), Verdict(draw(told), covers), draw(texts), draw(texts), scores)


@given(st.lists(judgements(), max_size=5))
def test_there_and_back(tmp_path_factory, kept):
    path = tmp_path_factory.mktemp("judged") / "judged.jsonl"
    assert write_judgements(path, kept) == len(kept)
    assert read_judgements(path) == tuple(kept)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('{"query": "q", "document": "d", "relevant": 1}', "an answer is 1; accepted: true, false or null"),
        ('{"query": "q", "document": "d"}', "the row has no 'relevant'"),
        ('{"query": "q", "relevant": true}', "names no question or no document"),
        ('{"query": 7, "document": "d", "relevant": true}', "names no question or no document"),
        ('{"query": "q", "document": "d", "relevant": true, "covers": true}', "'covers' is True"),
        ('{"query": "q", "document": "d", "relevant": true, "covers": [0]}', "an answer is 0"),
        ('{"query": "q", "document": "d", "relevant": true, "scores": [true]}', "'scores' is"),
        (
            '{"query": "q", "document": "d", "relevant": true, "scores": [0.1, 0.2]}',
            "has 2 scores; accepted: none or 1",
        ),
        ('{"query": "q", "document": "d", "relevant": true, "reason": 1}', "'reason' is 1; accepted: a text"),
        ("{", "not JSON"),
    ],
)
def test_a_row_that_is_no_judgement_is_named(tmp_path, row, problem):
    path = tmp_path / "judged.jsonl"
    path.write_text('{"query": "q", "document": "d", "relevant": null}\n' + row + "\n")
    with pytest.raises(InputError, match=f"judged.jsonl, line 2: .*{problem}"):
        read_judgements(path)


def test_no_file(tmp_path):
    with pytest.raises(EpochalError, match=r"none\.jsonl"):
        read_judgements(tmp_path / "none.jsonl")


def test_a_gap_stays_a_gap(tmp_path):
    query = BenchQuery("q", "Who?", periods=(Span.year(1998), Span.year(2003)))
    path = tmp_path / "judged.jsonl"
    write_judgements(path, [Judgement("q", "d", make_missing_verdict(query), "me", "no line")])
    assert json.loads(path.read_text())["relevant"] is None
    assert group_verdicts(read_judgements(path)) == {"q": {"d": Verdict(None, (None, None))}}
