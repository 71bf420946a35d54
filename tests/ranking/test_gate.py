"""The gate: parts within [0, 1], their weighed sum, and plain hybrid search where nothing is asked of time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.ranking.pool import Pool, get_windows
from epochal.ranking.scorer import COMPONENTS, ScorerWeights, WeightedScorer, load_default_weights
from epochal.reading.questions import understand
from epochal.search.candidates import collect_candidates
from epochal.storage.records import Document
from epochal.times import Span

NOW = Span.parse("2026-11-15")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with Index.create(tmp_path_factory.mktemp("gate"), encoder="static") as made:
        made.add(
            [
                Document("a", "Steel tariffs rose in 1998."),
                Document("b", "Steel tariffs fell.", published=Span.year(2003)),
                Document("c", "The latest news of steel.", published=Span.parse("2026-11-01")),
                Document("d", "Zebras graze."),
            ]
        )
        yield made


def pool_of(index: Index, question: str) -> Pool:
    asked = understand(question, NOW)
    return collect_candidates(index.view(), index.encoder, question, asked, NOW, get_windows(asked), None, 10)


@pytest.mark.parametrize("question", ["steel tariffs", "steel tariffs in 1998", "the latest steel tariffs", "zebras"])
def test_parts_are_shares_and_sum_to_the_score(index: Index, question: str) -> None:
    pool = pool_of(index, question)
    parts, _ = WeightedScorer().measure_components(pool)
    for values in parts.values():
        assert ((values >= 0) & (values <= 1 + 1e-12)).all()
    scored = WeightedScorer().score(pool)
    asked = {"freshness"} if "latest" in question else set()
    assert set(scored.parts) == {*parts, "topic", *asked} <= {*COMPONENTS, "topic"}
    assert np.allclose(sum(scored.parts.values()), scored.scores, atol=1e-12)


def test_a_question_without_time_has_only_words_and_meaning(index: Index) -> None:
    pool = pool_of(index, "steel tariffs")
    plain = load_default_weights().plain
    scored = WeightedScorer().score(pool)
    assert set(scored.parts) == {"lexical", "semantic", "topic"}
    best = pool.lexical.max()
    assert np.allclose(scored.parts["lexical"], plain["lexical"] * pool.lexical / best)


def test_wrong_weights_are_named() -> None:
    with pytest.raises(EpochalError, match="a weight -1"):
        ScorerWeights({"lexical": -1.0}, {}, {})
    with pytest.raises(EpochalError, match="colour"):
        ScorerWeights({"colour": 1.0}, {}, {})
    with pytest.raises(EpochalError, match="plain, timed and fresh"):
        ScorerWeights.from_dict({"plain": {}})
