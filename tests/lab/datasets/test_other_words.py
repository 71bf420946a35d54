"""The collections of questions in other words: what they hold, and that the two splits share nothing."""

from __future__ import annotations

import re

import pytest

from epochal.errors import UnknownNameError
from epochal.storage.text import analyse
from epochal_lab.datasets.timed.corpora import load_corpus
from epochal_lab.datasets.timed.other_words import OTHER_WORDS, list_collections, load_collection
from epochal_lab.datasets.timed.questions import SPLITS, TimedCorpus

ALL = [(split, name) for split in SPLITS for name in list_collections(split)]


@pytest.mark.parametrize(("split", "name"), ALL)
def test_each_collection_has_as_many_questions_with_and_without_an_answer(split: str, name: str) -> None:
    corpus = load_collection(name)
    ids = {document.id for document in corpus.documents}
    answered = [question for question in corpus.questions if question.answerable]
    assert len(corpus.documents) == len(ids) == 24
    assert len(answered) == len(corpus.questions) - len(answered) == 22
    assert all(question.relevant <= ids and question.split == split for question in answered)
    assert all(question.outcome == "topic_unknown" for question in corpus.questions if not question.answerable)


@pytest.mark.parametrize(("split", "name"), ALL)
def test_an_answered_question_has_a_word_that_no_document_has(split: str, name: str) -> None:
    corpus = load_collection(name)
    known = _list_tokens(corpus)
    for question in corpus.questions:
        words = re.findall(r"[a-z]{4,}", question.text)
        assert not question.answerable or any(not known.issuperset(analyse(word)) for word in words), question.text


def test_the_splits_share_neither_documents_nor_questions() -> None:
    texts = {
        split: {
            text
            for name in list_collections(split)
            for text in (
                *(item.text for item in load_collection(name).documents),
                *(item.text for item in load_collection(name).questions),
            )
        }
        for split in SPLITS
    }
    assert not texts["train"] & texts["report"]


def test_they_are_loaded_by_name_like_other_corpora() -> None:
    (first, *_) = list_collections("train")
    assert load_corpus(f"{OTHER_WORDS}_{first}").documents == load_collection(first).documents


def test_an_unknown_collection_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'opera'.*garden"):
        load_corpus(f"{OTHER_WORDS}_opera")


def _list_tokens(corpus: TimedCorpus) -> set[str]:
    return {token for document in corpus.documents for token in analyse(f"{document.title} {document.text}")}
