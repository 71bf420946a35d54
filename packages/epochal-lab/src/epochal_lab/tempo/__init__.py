"""What TEMPO has language models do, by a model and by rules: annotation, plans, reformulation, hard negatives,
quality, answers from documents, and their evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.tempo.annotate import compare_passages as compare_passages
    from epochal_lab.tempo.annotate import compare_queries as compare_queries
    from epochal_lab.tempo.annotate import passage_by_model as passage_by_model
    from epochal_lab.tempo.annotate import passage_by_rules as passage_by_rules
    from epochal_lab.tempo.annotate import plan_by_model as plan_by_model
    from epochal_lab.tempo.annotate import plan_by_rules as plan_by_rules
    from epochal_lab.tempo.annotate import query_by_model as query_by_model
    from epochal_lab.tempo.annotate import query_by_rules as query_by_rules
    from epochal_lab.tempo.generate import generate_by_model as generate_by_model
    from epochal_lab.tempo.generate import generate_by_rules as generate_by_rules
    from epochal_lab.tempo.generate import reformulate_by_model as reformulate_by_model
    from epochal_lab.tempo.generate import reformulate_by_rules as reformulate_by_rules
    from epochal_lab.tempo.negatives import mine as mine
    from epochal_lab.tempo.negatives import searches_by_model as searches_by_model
    from epochal_lab.tempo.negatives import searches_by_rules as searches_by_rules
    from epochal_lab.tempo.records import PassageNote as PassageNote
    from epochal_lab.tempo.records import PlanStep as PlanStep
    from epochal_lab.tempo.records import QueryNote as QueryNote
    from epochal_lab.tempo.scoring import evaluate_by_model as evaluate_by_model
    from epochal_lab.tempo.scoring import evaluate_by_rules as evaluate_by_rules
    from epochal_lab.tempo.scoring import quality_by_model as quality_by_model
    from epochal_lab.tempo.scoring import quality_by_rules as quality_by_rules

__all__ = [
    "PassageNote",
    "PlanStep",
    "QueryNote",
    "compare_passages",
    "compare_queries",
    "evaluate_by_model",
    "evaluate_by_rules",
    "generate_by_model",
    "generate_by_rules",
    "mine",
    "passage_by_model",
    "passage_by_rules",
    "plan_by_model",
    "plan_by_rules",
    "quality_by_model",
    "quality_by_rules",
    "query_by_model",
    "query_by_rules",
    "reformulate_by_model",
    "reformulate_by_rules",
    "searches_by_model",
    "searches_by_rules",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.tempo.annotate": (
            "compare_passages compare_queries passage_by_model passage_by_rules plan_by_model plan_by_rules "
            "query_by_model query_by_rules"
        ),
        "epochal_lab.tempo.generate": "generate_by_model generate_by_rules reformulate_by_model reformulate_by_rules",
        "epochal_lab.tempo.negatives": "mine searches_by_model searches_by_rules",
        "epochal_lab.tempo.records": "PassageNote PlanStep QueryNote",
        "epochal_lab.tempo.scoring": "evaluate_by_model evaluate_by_rules quality_by_model quality_by_rules",
    },
)
