"""Measures of retrieval, and of retrieval in time, as values that print and parse back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.metrics.evaluation import Average as Average
    from epochal_lab.metrics.evaluation import Averages as Averages
    from epochal_lab.metrics.evaluation import Evaluation as Evaluation
    from epochal_lab.metrics.evaluation import Outcome as Outcome
    from epochal_lab.metrics.evaluation import average as average
    from epochal_lab.metrics.evaluation import average_by_kind as average_by_kind
    from epochal_lab.metrics.evaluation import average_domains as average_domains
    from epochal_lab.metrics.evaluation import evaluate as evaluate
    from epochal_lab.metrics.evaluation import measure_names as measure_names
    from epochal_lab.metrics.evaluation import missing_requirements as missing_requirements
    from epochal_lab.metrics.evaluation import parse_measure as parse_measure
    from epochal_lab.metrics.evaluation import parse_measures as parse_measures
    from epochal_lab.metrics.functions import average_precision as average_precision
    from epochal_lab.metrics.functions import hit as hit
    from epochal_lab.metrics.functions import measure_ranking as measure_ranking
    from epochal_lab.metrics.functions import measure_rankings as measure_rankings
    from epochal_lab.metrics.functions import ndcg as ndcg
    from epochal_lab.metrics.functions import precision as precision
    from epochal_lab.metrics.functions import recall as recall
    from epochal_lab.metrics.functions import reciprocal_rank as reciprocal_rank
    from epochal_lab.metrics.measure import Measure as Measure
    from epochal_lab.metrics.measure import Scores as Scores
    from epochal_lab.metrics.relevance import AP as AP
    from epochal_lab.metrics.relevance import MRR as MRR
    from epochal_lab.metrics.relevance import NDCG as NDCG
    from epochal_lab.metrics.relevance import Hit as Hit
    from epochal_lab.metrics.relevance import Precision as Precision
    from epochal_lab.metrics.relevance import Recall as Recall
    from epochal_lab.metrics.runs import DocumentTimes as DocumentTimes
    from epochal_lab.metrics.runs import Judgements as Judgements
    from epochal_lab.metrics.runs import QueryTimes as QueryTimes
    from epochal_lab.metrics.runs import Ranking as Ranking
    from epochal_lab.metrics.runs import Run as Run
    from epochal_lab.metrics.runs import Verdict as Verdict
    from epochal_lab.metrics.runs import Verdicts as Verdicts
    from epochal_lab.metrics.runs import restrict as restrict
    from epochal_lab.metrics.temporal import MFG as MFG
    from epochal_lab.metrics.temporal import FullCoverageNDCG as FullCoverageNDCG
    from epochal_lab.metrics.temporal import TemporalCoverage as TemporalCoverage
    from epochal_lab.metrics.temporal import TemporalNDCG as TemporalNDCG
    from epochal_lab.metrics.temporal import TemporalPrecision as TemporalPrecision
    from epochal_lab.metrics.temporal import TemporalRelevance as TemporalRelevance
    from epochal_lab.metrics.temporal import TimeVar as TimeVar
    from epochal_lab.metrics.temporal import full_coverage_intersection as full_coverage_intersection

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.metrics.evaluation": (
            "Average Averages Evaluation Outcome average average_by_kind average_domains evaluate measure_names "
            "missing_requirements parse_measure parse_measures"
        ),
        "epochal_lab.metrics.functions": (
            "average_precision hit measure_ranking measure_rankings ndcg precision recall reciprocal_rank"
        ),
        "epochal_lab.metrics.measure": "Measure Scores",
        "epochal_lab.metrics.relevance": "AP Hit MRR NDCG Precision Recall",
        "epochal_lab.metrics.runs": "DocumentTimes Judgements QueryTimes Ranking Run Verdict Verdicts restrict",
        "epochal_lab.metrics.temporal": (
            "FullCoverageNDCG MFG TemporalCoverage TemporalNDCG TemporalPrecision TemporalRelevance TimeVar "
            "full_coverage_intersection"
        ),
    },
)
