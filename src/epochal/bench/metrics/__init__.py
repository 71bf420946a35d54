"""Measures of retrieval, and of retrieval in time, as values that print and parse back."""

from __future__ import annotations

from epochal.bench.metrics.ap import AP as AP
from epochal.bench.metrics.averages import Average as Average
from epochal.bench.metrics.averages import Averages as Averages
from epochal.bench.metrics.averages import average as average
from epochal.bench.metrics.averages import averages as averages
from epochal.bench.metrics.averages import breakdown as breakdown
from epochal.bench.metrics.base import DocumentTimes as DocumentTimes
from epochal.bench.metrics.base import Judgements as Judgements
from epochal.bench.metrics.base import QueryTimes as QueryTimes
from epochal.bench.metrics.base import Run as Run
from epochal.bench.metrics.base import Verdict as Verdict
from epochal.bench.metrics.base import Verdicts as Verdicts
from epochal.bench.metrics.evaluation import Evaluation as Evaluation
from epochal.bench.metrics.evaluation import Outcome as Outcome
from epochal.bench.metrics.evaluation import evaluate as evaluate
from epochal.bench.metrics.evaluation import lacking as lacking
from epochal.bench.metrics.full_coverage import FullCoverageNDCG as FullCoverageNDCG
from epochal.bench.metrics.full_coverage import full_coverage_intersection as full_coverage_intersection
from epochal.bench.metrics.functions import average_precision as average_precision
from epochal.bench.metrics.functions import hit as hit
from epochal.bench.metrics.functions import measure_ranking as measure_ranking
from epochal.bench.metrics.functions import measure_rankings as measure_rankings
from epochal.bench.metrics.functions import ndcg as ndcg
from epochal.bench.metrics.functions import precision as precision
from epochal.bench.metrics.functions import recall as recall
from epochal.bench.metrics.functions import reciprocal_rank as reciprocal_rank
from epochal.bench.metrics.hit import Hit as Hit
from epochal.bench.metrics.measure import Measure as Measure
from epochal.bench.metrics.measure import Scores as Scores
from epochal.bench.metrics.mfg import MFG as MFG
from epochal.bench.metrics.mrr import MRR as MRR
from epochal.bench.metrics.ndcg import NDCG as NDCG
from epochal.bench.metrics.precision import Precision as Precision
from epochal.bench.metrics.ranking import Ranking as Ranking
from epochal.bench.metrics.recall import Recall as Recall
from epochal.bench.metrics.registry import measure_names as measure_names
from epochal.bench.metrics.registry import parse_measure as parse_measure
from epochal.bench.metrics.registry import parse_measures as parse_measures
from epochal.bench.metrics.restricting import restricted as restricted
from epochal.bench.metrics.temporal_coverage import TemporalCoverage as TemporalCoverage
from epochal.bench.metrics.temporal_precision import TemporalPrecision as TemporalPrecision
from epochal.bench.metrics.temporal_relevance import TemporalRelevance as TemporalRelevance
from epochal.bench.metrics.timevar import TimeVar as TimeVar
from epochal.bench.metrics.tndcg import TemporalNDCG as TemporalNDCG

__all__ = [
    "AP",
    "MFG",
    "MRR",
    "NDCG",
    "Average",
    "Averages",
    "DocumentTimes",
    "Evaluation",
    "FullCoverageNDCG",
    "Hit",
    "Judgements",
    "Measure",
    "Outcome",
    "Precision",
    "QueryTimes",
    "Ranking",
    "Recall",
    "Run",
    "Scores",
    "TemporalCoverage",
    "TemporalNDCG",
    "TemporalPrecision",
    "TemporalRelevance",
    "TimeVar",
    "Verdict",
    "Verdicts",
    "average",
    "average_precision",
    "averages",
    "breakdown",
    "evaluate",
    "full_coverage_intersection",
    "hit",
    "lacking",
    "measure_names",
    "measure_ranking",
    "measure_rankings",
    "ndcg",
    "parse_measure",
    "parse_measures",
    "precision",
    "recall",
    "reciprocal_rank",
    "restricted",
]
