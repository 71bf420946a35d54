"""Evidence: of a candidate's times the one that answers, by its span and by the words around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from epochal.api import Index
from epochal.ranking.features import BestEvidence, find_evidence, match_window, score_periods
from epochal.ranking.pool import Pool, Window, get_terms, get_windows
from epochal.ranking.terms import read_terms
from epochal.reading.questions import understand
from epochal.search.candidates import collect_candidates
from epochal.storage.records import Document
from epochal.times import Span, SpanSet
from spans_strategy import spans

Finder = Callable[[list[Document], str], tuple[Pool, BestEvidence]]


@pytest.fixture
def found_in(tmp_path: Path) -> Iterator[Finder]:
    opened: list[Index] = []

    def find(documents: list[Document], question: str) -> tuple[Pool, BestEvidence]:
        index = Index.create(tmp_path / str(len(opened)), encoder=None)
        opened.append(index)
        index.add(documents)
        asked, view = understand(question), index.view()
        pool = collect_candidates(view, None, question, asked, None, get_windows(asked), view.alive, 100)
        return pool, find_evidence(pool, read_terms(view, question, asked.expressions))

    yield find
    for index in opened:
        index.close()


@given(spans(), spans())
def test_a_match_is_a_share_whatever_the_times(asked: Span, document: Span) -> None:
    for throughout in (False, True):
        match = match_window(Window(asked, throughout=throughout), SpanSet.of([document]))
        for part in match:
            assert part is None or 0.0 <= part[0] <= 1.0 + 1e-12


def test_the_time_among_the_right_words_counts(found_in: Finder) -> None:
    text = "He was born in Voronezh in 1870. The prize was won in 1933. He died in Paris in 1953."
    for question, year in (("Who won the prize in 1933?", "1933"), ("Who died in Paris in 1953?", "1953")):
        pool, findings = found_in([Document("a", text)], question)
        assert pool.view.content.spans[int(findings.dating[0])].edtf() == year
        assert findings.match[0] > 0.8


def test_compared_periods_have_the_evidence_of_each_alone(found_in: Finder) -> None:
    documents = [
        Document("both", "Rye was dear in 1998. The price of rye fell in 2004, and barley was dear in 2004."),
        Document("dated", "The price of rye fell.", published=Span.year(2004)),
        Document("valid", "Rye, dear.", valid=Span.year(1998)),
        Document("other", "Barley was dear in 1975."),
    ]
    pool, _ = found_in(documents, "Compare the price of rye in 1998 and 2004")
    positions, terms = np.arange(len(pool))[::-1][:3], get_terms(pool)
    assert len(pool.windows) == 2
    alone = [find_evidence(replace(pool.at(positions), windows=(window,)), terms) for window in pool.windows]
    found = score_periods(pool, terms, positions, pool.windows)
    assert found.tolist() == [(item.match * item.local).tolist() for item in alone]
    assert (found > 0).any(axis=1).all()


def test_a_date_in_the_text_is_shown_before_that_of_the_document(found_in: Finder) -> None:
    documents = [
        Document("text", "Rye was dear in 1998.", published=Span.year(1998)),
        Document("date", "Rye was dear.", published=Span.year(1998)),
        Document("none", "Rye was dear."),
        Document("far", "Rye was dear in 1850.", published=Span.year(1850)),
    ]
    pool, findings = found_in(documents, "Was rye dear in 1998?")
    kinds = {
        document.id: int(dating)
        for document, dating in zip(pool.view.get_documents(pool.document_rows), findings.dating, strict=True)
    }
    assert kinds["text"] >= 0
    assert (kinds["date"], kinds["none"], kinds["far"]) == (-2, -1, -1)
    scores = dict(zip(kinds, findings.score.tolist(), strict=True))
    assert scores["text"] >= scores["date"] > scores["none"] == scores["far"] == 0


def test_nothing_is_found_without_windows_or_candidates(found_in: Finder) -> None:
    _, findings = found_in([Document("a", "Rye in 1998.")], "rye")
    assert (findings.score.tolist(), findings.dating.tolist()) == ([0.0], [-1])
    _, findings = found_in([], "Was rye dear in 1998?")
    assert len(findings.score) == 0


def test_many_candidates_are_scored_as_few_are(found_in: Finder) -> None:
    right = Document("right", "The prize was won by a chemist in 1933.")
    others = [Document(f"o{number}", f"Entry {number}: born in 1933.") for number in range(150)]
    pool, findings = found_in([*others, right], "Who won the prize in 1933?")
    best = int(np.argmax(findings.score))
    assert pool.view.get_documents(pool.document_rows[[best]])[0].id == "right"


def test_the_interval_for_which_a_document_holds_is_evidence(tmp_path) -> None:
    from epochal import Document, Index, Span

    rules = [
        Document("old", "The fee is ten euros.", valid=Span.parse("1998/2003")),
        Document("new", "The fee is twelve euros.", valid=Span.parse("2004/2010")),
    ]
    with Index.create(tmp_path / "rules", encoder=None) as index:
        index.add(rules)
        hit = index.search("What was the fee in 2006?")[0]
    assert hit.id == "new"
    assert [(item.axis, item.span.edtf()) for item in hit.evidence] == [("valid", "2004/2010")]


def test_a_passing_mention_is_less_than_a_date_before_a_year(found_in: Finder) -> None:
    """Nearly every text mentions something earlier; one that was published then is meant."""
    mention = "Names are not read, as deprecated in May 2000."
    documents = [
        Document("later", mention, published=Span.parse("2023-04-26")),
        Document("then", "Retries are read.", published=Span.parse("2012-08-02")),
        Document("undated", mention),
    ]
    _, findings = found_in(documents, "What was read before 2015?")
    later, then, undated = findings.score
    assert then > later > 0
    assert undated > later
