"""Results of answers as a table: a row a context, with its gaps, what was passed on, and its measures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from epochal.bench.rag.task import RagResult

__all__ = ["rag_table"]


def rag_table(results: Sequence[RagResult], measures: Sequence[str]) -> str:
    """The table, in Markdown: a row a set and context, and the mean over sets where there are several.

    "From evidence" is the mean over the questions that were answered from documents: what remains where a context that
    withholds its documents refuses instead.

    >>> from epochal.bench.rag.task import Answered
    >>> one = Answered("q1", ("d1",), False, "Ann", {"f1": 50.0})
    >>> two = Answered("q2", (), True, "Bob", {"f1": 0.0})
    >>> print(rag_table([RagResult("own", "tmrl", "bm25", "rules", "words", (one, two))], ["f1"]))
    | set | context | questions | gaps | from documents | withheld | f1 | f1 from evidence |
    |---|---|---|---|---|---|---|---|
    | own | bm25 | 2 | 0 | 1 | 1 | 25.0 | 50.0 |
    """
    heads = ["set", "context", "questions", "gaps", "from documents", "withheld"]
    heads += [f"{name}{more}" for name in measures for more in ("", " from evidence")]
    lines = [_line(heads), "|" + "---|" * len(heads)]
    for result in results:
        counts = [len(result.answered), result.gaps, result.passed, sum(item.withheld for item in result.answered)]
        lines.append(_line([result.set, result.context, *map(str, counts), *_means([result], measures)]))
    contexts = dict.fromkeys(result.context for result in results)
    if len({result.set for result in results}) > 1:
        for context in contexts:
            same = [result for result in results if result.context == context]
            counts = [sum(len(item.answered) for item in same), sum(item.gaps for item in same)]
            counts += [sum(item.passed for item in same), sum(one.withheld for item in same for one in item.answered)]
            lines.append(_line([f"mean of {len(same)} sets", context, *map(str, counts), *_means(same, measures)]))
    return "\n".join(lines)


def _means(results: Sequence[RagResult], measures: Sequence[str]) -> list[str]:
    """The mean of each measure over sets, over all questions and over those answered from documents."""
    cells = []
    for name in measures:
        for passed_only in (False, True):
            found = [item.mean(name, passed_only=passed_only) for item in results]
            known = [value for value in found if value is not None]
            cells.append(f"{math.fsum(known) / len(known):.1f}" if known else "–")
    return cells


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
