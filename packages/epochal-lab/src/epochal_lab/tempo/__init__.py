"""The language model tasks of TEMPO, by a model and by rules: annotation, plans, reformulation, hard negatives,
quality, answers from documents, and their evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.tempo.annotate import annotate_passage_by_model as annotate_passage_by_model
    from epochal_lab.tempo.annotate import annotate_passage_by_rules as annotate_passage_by_rules
    from epochal_lab.tempo.annotate import annotate_query_by_model as annotate_query_by_model
    from epochal_lab.tempo.annotate import annotate_query_by_rules as annotate_query_by_rules
    from epochal_lab.tempo.annotate import compare_passages as compare_passages
    from epochal_lab.tempo.annotate import compare_queries as compare_queries
    from epochal_lab.tempo.annotate import plan_by_model as plan_by_model
    from epochal_lab.tempo.annotate import plan_by_rules as plan_by_rules
    from epochal_lab.tempo.generate import generate_by_model as generate_by_model
    from epochal_lab.tempo.generate import generate_by_rules as generate_by_rules
    from epochal_lab.tempo.generate import reformulate_by_model as reformulate_by_model
    from epochal_lab.tempo.generate import reformulate_by_rules as reformulate_by_rules
    from epochal_lab.tempo.negatives import mine_negatives as mine_negatives
    from epochal_lab.tempo.negatives import plan_searches_by_model as plan_searches_by_model
    from epochal_lab.tempo.negatives import plan_searches_by_rules as plan_searches_by_rules
    from epochal_lab.tempo.records import PassageNote as PassageNote
    from epochal_lab.tempo.records import PlanStep as PlanStep
    from epochal_lab.tempo.records import QueryNote as QueryNote
    from epochal_lab.tempo.scoring import evaluate_by_model as evaluate_by_model
    from epochal_lab.tempo.scoring import evaluate_by_rules as evaluate_by_rules
    from epochal_lab.tempo.scoring import rate_quality_by_model as rate_quality_by_model
    from epochal_lab.tempo.scoring import rate_quality_by_rules as rate_quality_by_rules

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.tempo.annotate": (
            "annotate_passage_by_model annotate_passage_by_rules annotate_query_by_model annotate_query_by_rules "
            "compare_passages compare_queries plan_by_model plan_by_rules"
        ),
        "epochal_lab.tempo.generate": "generate_by_model generate_by_rules reformulate_by_model reformulate_by_rules",
        "epochal_lab.tempo.negatives": "mine_negatives plan_searches_by_model plan_searches_by_rules",
        "epochal_lab.tempo.records": "PassageNote PlanStep QueryNote",
        "epochal_lab.tempo.scoring": "evaluate_by_model evaluate_by_rules rate_quality_by_model rate_quality_by_rules",
    },
)
