"""BM25 from the codes of tokens is that of the word index, and files without counts are searched all the same."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from epochal.storage.columns import DerivedManifest, read_manifest, write_manifest
from epochal.storage.contexts import Bm25Scorer, PassageReader
from epochal.storage.passage_tokens import TokenReader
from epochal.storage.records import TITLE
from epochal.storage.store import Store
from epochal.storage.words import WordBuilder, WordSearcher
from storage.whole import DIM, entry

PIECES = (
    "Rates fell. the king\nIn 1998; then|St. Ives|永樂元年。三月，日有食之|Café's |U.S. |the the the |\n|"
    "flood of floods |a long sentence about a king and his harbour, the tax and the tariff, which has forty words. "
).split("|")
QUERIES = ("the king", "king king harbour", "永樂 日有食之", "floods in 1998", "unheard words", "the of and a " * 3)


def make_passages(seed: int, count: int) -> list[tuple[str, str, list[int]]]:
    rng = random.Random(seed)
    passages = []
    for _ in range(count):
        text = "".join(rng.choices(PIECES, k=rng.randint(0, 20)))
        starts = [rng.randint(TITLE, max(len(text) - 1, 0)) for _ in range(rng.randint(0, 4))]
        passages.append((rng.choice(PIECES) if rng.random() < 0.5 else "", text, starts))
    return passages


def make_searcher(folder: Path, passages: list[tuple[str, str, list[int]]]) -> tuple[WordSearcher, WordSearcher]:
    """A searcher with the codes of the passages, and one without."""
    texts = [(title, text) for title, text, _ in passages]
    starts = [start for *_, own in passages for start in own]
    bodies, columns = TokenReader().read(texts, [len(own) for *_, own in passages], starts, 0)
    with WordBuilder(folder / "words", None) as builder:
        builder.add(0, bodies)
        builder.finish()
    scorer = Bm25Scorer(PassageReader(columns), columns)
    return WordSearcher(folder / "words", scorer), WordSearcher(folder / "words")


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_the_word_index(tmp_path, seed):
    coded, plain = make_searcher(tmp_path, make_passages(seed, 150))
    rows = np.random.default_rng(seed).integers(0, 150, 90)
    for query in QUERIES:
        np.testing.assert_allclose(coded.score_words(query, rows), plain.score_words(query, rows), rtol=3e-6)
        few = np.unique(rows)
        found = coded.search_words(query, 20, few)
        assert found.scores.tolist() == coded.score_words(query, found.rows).tolist()
        np.testing.assert_allclose(found.scores, plain.search_words(query, 20, few).scores, rtol=3e-6)
        found = coded.search_words(query, 20)
        assert found.scores.tolist() == coded.score_words(query, found.rows).tolist()


def test_counts_that_are_too_high_are_left_to_the_word_index(tmp_path):
    coded, plain = make_searcher(tmp_path, [("", "rain " * count, []) for count in (1, 254, 255, 700)])
    rows = np.arange(4)
    assert len(set(coded.score_words("rain", rows).tolist())) == 4
    assert coded.score_words("rain", rows).tolist() == plain.score_words("rain", rows).tolist()


def test_files_without_counts_are_searched_and_extended(tmp_path):
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(20)])
        wanted = store.view().search_words("king tariff", 10)
    manifest = DerivedManifest.from_bytes(read_manifest(tmp_path))
    assert manifest is not None
    columns = dict(manifest.columns)
    for name in ("tokens.count", "passages.length"):
        del columns[name]
        next((tmp_path / "derived").glob(f"set-*/{name}.*")).unlink()
    write_manifest(tmp_path, replace(manifest, columns=columns))
    with Store.open(tmp_path) as store:
        assert store.repairs == []
        found = store.view().search_words("king tariff", 10)
        assert found.rows.tolist() == wanted.rows.tolist()
        np.testing.assert_allclose(found.scores, wanted.scores, rtol=3e-6)
        store.add([entry("new", 1)])
        assert len(store.view().search_words("new", 9, store.view().alive[-3:])) > 0
        assert "tokens.count" not in DerivedManifest.from_bytes(read_manifest(tmp_path)).columns
