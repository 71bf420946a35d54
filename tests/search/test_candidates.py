"""Candidates: each source brings its own, and there are as many documents as were asked for while there are more."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from epochal.api import Index
from epochal.ranking.pool import Pool, get_windows
from epochal.reading.questions import understand
from epochal.search import candidates
from epochal.search.candidates import _match_topic, collect_candidates
from epochal.storage.records import Document
from epochal.times import Span

Filler = Callable[..., Index]


def pool_of(index: Index, question: str, depth: int, rows: np.ndarray | None = None) -> Pool:
    query = understand(question)
    return collect_candidates(index.view(), index.encoder, question, query, None, get_windows(query), rows, depth)


def ids(pool: Pool) -> set[str]:
    return {item.id for item in pool.view.get_documents(np.unique(pool.document_rows))}


DOCUMENTS = [
    *(Document(f"wool{number}", f"Wool was dear, says entry {number}.") for number in range(30)),
    Document("dated", "Wool fell in price.", published=Span.year(1998)),
    Document("spoken", "In 1998 wool fell."),
    Document("else", "Zebras graze in the savannah."),
]


@pytest.mark.parametrize("encoder", [None, "static"])
def test_a_document_of_the_time_is_a_candidate_however_many_share_its_words(
    filled: Filler, encoder: str | None
) -> None:
    pool = pool_of(filled(DOCUMENTS, encoder), "What did wool do in 1998?", 3)
    assert {"dated", "spoken"} <= ids(pool)


def test_the_columns_of_a_pool_belong_to_its_rows(filled: Filler) -> None:
    index = filled(DOCUMENTS, "static")
    pool = pool_of(index, "zebras in the savannah", 5)
    assert (np.diff(pool.rows) > 0).all()
    best = pool.document_rows[int(pool.lexical.argmax())]
    assert index.view().get_documents(np.array([best]))[0].id == "else"
    assert pool.lexical.shape == pool.semantic.shape == pool.rows.shape
    part = pool.at(np.array([2, 0]))
    assert part.rows.tolist() == pool.rows[[2, 0]].tolist()
    assert part.lexical.tolist() == pool.lexical[[2, 0]].tolist()


@pytest.mark.parametrize("encoder", [None, "static"])
@pytest.mark.parametrize("question", ["wool", "quark flavour", "wool in 1998"])
def test_a_selection_is_never_left_and_is_used_up(filled: Filler, encoder: str | None, question: str) -> None:
    index = filled(DOCUMENTS, encoder)
    rows = index.view().alive[5:20]
    for depth in (1, 4, 15, 100):
        pool = pool_of(index, question, depth, rows)
        assert np.isin(pool.rows, rows).all()
        assert len(np.unique(pool.document_rows)) >= min(depth, 15)


@pytest.mark.parametrize("encoder", [None, "static"])
def test_one_long_document_does_not_keep_others_out(filled: Filler, encoder: str | None) -> None:
    long = "\n\n".join(f"Zebras graze on plain {number}. " + "Grass is green. " * 50 for number in range(300))
    others = [Document(f"o{number}", f"A zebra in zoo {number} of a large and quiet town.") for number in range(12)]
    index = filled([Document("long", long), *others], encoder)
    assert len(index.search("zebras graze", k=10)) == 10


def test_an_empty_index_has_an_empty_pool(filled: Filler) -> None:
    for encoder in (None, "static"):
        assert len(pool_of(filled([], encoder), "What happened in 1998?", 10)) == 0


def test_of_the_passages_of_a_time_those_that_share_telling_words_come_first(filled: Filler) -> None:
    """Words that every question has do not outweigh one that tells, however many of them a passage shares."""
    then = Span.year(1998)
    plain = [
        Document(f"p{number}", f"Who was it that had been there, and {number}?", published=then) for number in range(9)
    ]
    telling = [Document(f"t{number}", f"Wool {number}.", published=then) for number in range(4)]
    other = [Document(f"o{number}", f"Grass {number}.", published=then) for number in range(9)]
    view = filled([*plain, *telling, *other], None).view()
    topic = "Who was it that had been there with the wool?"
    best = _match_topic(view, topic, 4, view.alive)
    assert sorted(item.id for item in view.get_documents(view.get_document_rows(best))) == [
        f"t{number}" for number in range(4)
    ]
    assert sorted(_match_topic(view, topic, 13, view.alive).tolist()) == sorted(
        view.search_words(topic, 13).rows.tolist()
    )


def test_many_words_and_many_passages_are_searched_and_not_compared(
    filled: Filler, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = filled(DOCUMENTS, None).view()
    expected = view.search_words("zebras graze", 3, view.alive).rows.tolist()
    for name in ("_COMPARED", "_MAX_TOKENS"):
        with monkeypatch.context() as patch:
            patch.setattr(candidates, name, 1)
            patch.setattr(type(view), "match_contexts", None)
            assert _match_topic(view, "zebras graze", 3, view.alive).tolist() == expected


@pytest.mark.parametrize("encoder", [None, "static"])
@pytest.mark.parametrize("question", ["Wool entries", "What did wool do in 1998?", "Which entry of 1998 was dear?"])
def test_the_order_of_storing_does_not_choose_candidates(filled: Filler, encoder: str | None, question: str) -> None:
    """Among many that share the same few words, those behind the last place are not left out for coming later."""
    results = [
        Document(f"e{number}", f"Wool was dear in 1998, says entry {'once more ' * (number % 3)}of the ledger.")
        for number in range(24)
    ]
    forwards = pool_of(filled([*DOCUMENTS, *results], encoder), question, 6)
    backwards = pool_of(filled([*DOCUMENTS, *results][::-1], encoder), question, 6)
    assert ids(forwards) == ids(backwards)
