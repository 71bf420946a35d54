"""The verdicts of a judge, beside the rows of a ranking."""

from __future__ import annotations

import numpy as np

from epochal.bench.metrics.ranking import Bools, Floats, Ranking

__all__ = ["judged_queries", "verdict_rows"]


def judged_queries(ranking: Ranking) -> Bools:
    """Which questions a judge was asked about; those without temporal intent are not among them.

    >>> from epochal.bench.metrics import Judgements
    >>> judged_queries(Ranking({}, Judgements({"q1": {}, "q2": {}}, verdicts={"q2": {}})))
    array([False,  True])
    """
    return np.asarray([query in ranking.judgements.verdicts for query in ranking.queries], dtype=bool)


def verdict_rows(ranking: Ranking, cutoff: int | None) -> Floats:
    """For each row of a ranking 1 for relevant, 0 for not, nan for a gap and for what lies beyond the cut-off.

    >>> from epochal.bench.metrics import Judgements, Verdict
    >>> judged = Judgements(verdicts={"q1": {"d1": Verdict(True), "d2": Verdict(None)}})
    >>> verdict_rows(Ranking({"q1": {"d1": 0.9, "d2": 0.5, "d3": 0.1}}, judged), 10)
    array([ 1., nan, nan])
    """
    told = np.full(len(ranking.documents), np.nan)
    for number, query in enumerate(ranking.queries):
        verdicts = ranking.judgements.verdicts.get(query)
        if verdicts is None:
            continue
        for place, document in enumerate(ranking.found(number, cutoff), int(ranking.starts[number])):
            verdict = verdicts.get(document)
            if verdict is not None and verdict.relevant is not None:
                told[place] = verdict.relevant
    return told
