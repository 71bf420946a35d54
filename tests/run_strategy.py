"""Random runs and judgements: few documents that meet, few scores that tie, questions on one side only."""

from __future__ import annotations

from hypothesis import strategies as st

DOCUMENTS = [f"d{number}" for number in range(12)]
QUERIES = [f"q{number}" for number in range(5)]


def runs(queries: list[str] = QUERIES) -> st.SearchStrategy[dict[str, dict[str, float]]]:
    scores = st.integers(0, 4).map(float)
    return st.dictionaries(st.sampled_from(queries), st.dictionaries(st.sampled_from(DOCUMENTS), scores, min_size=1))


def qrels(queries: list[str] = QUERIES) -> st.SearchStrategy[dict[str, dict[str, int]]]:
    """At least one document is relevant to each question."""
    judged = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1)
    relevant = judged.filter(lambda grades: max(grades.values()) > 0)
    return st.dictionaries(st.sampled_from(queries), relevant, min_size=1)


def period_qrels() -> st.SearchStrategy[dict[str, tuple[frozenset[str], ...]]]:
    """For each question one to four periods, which some document covers."""
    covering = st.frozensets(st.sampled_from(DOCUMENTS), min_size=1, max_size=4)
    return st.dictionaries(st.sampled_from(QUERIES), st.lists(covering, min_size=1, max_size=4).map(tuple), min_size=1)
