"""What TEMPO has language models do, by a model and by rules: annotation, plans, reformulation, hard negatives,
quality, answers from documents, and their evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.answers.tempo.agreement import compare_passages as compare_passages
    from epochal.answers.tempo.agreement import compare_queries as compare_queries
    from epochal.answers.tempo.evaluation import evaluate_by_model as evaluate_by_model
    from epochal.answers.tempo.evaluation import evaluate_by_rules as evaluate_by_rules
    from epochal.answers.tempo.generation import generate_by_model as generate_by_model
    from epochal.answers.tempo.generation import generate_by_rules as generate_by_rules
    from epochal.answers.tempo.negatives import mine as mine
    from epochal.answers.tempo.negatives import searches_by_model as searches_by_model
    from epochal.answers.tempo.negatives import searches_by_rules as searches_by_rules
    from epochal.answers.tempo.passage_notes import passage_by_model as passage_by_model
    from epochal.answers.tempo.passage_notes import passage_by_rules as passage_by_rules
    from epochal.answers.tempo.plans import plan_by_model as plan_by_model
    from epochal.answers.tempo.plans import plan_by_rules as plan_by_rules
    from epochal.answers.tempo.quality import quality_by_model as quality_by_model
    from epochal.answers.tempo.quality import quality_by_rules as quality_by_rules
    from epochal.answers.tempo.query_notes import query_by_model as query_by_model
    from epochal.answers.tempo.query_notes import query_by_rules as query_by_rules
    from epochal.answers.tempo.records import PassageNote as PassageNote
    from epochal.answers.tempo.records import PlanStep as PlanStep
    from epochal.answers.tempo.records import QueryNote as QueryNote
    from epochal.answers.tempo.reformulation import reformulate_by_model as reformulate_by_model
    from epochal.answers.tempo.reformulation import reformulate_by_rules as reformulate_by_rules

_HERE = "epochal.answers.tempo"
_HOMES = {
    "PassageNote": f"{_HERE}.records",
    "PlanStep": f"{_HERE}.records",
    "QueryNote": f"{_HERE}.records",
    "compare_passages": f"{_HERE}.agreement",
    "compare_queries": f"{_HERE}.agreement",
    "evaluate_by_model": f"{_HERE}.evaluation",
    "evaluate_by_rules": f"{_HERE}.evaluation",
    "generate_by_model": f"{_HERE}.generation",
    "generate_by_rules": f"{_HERE}.generation",
    "mine": f"{_HERE}.negatives",
    "passage_by_model": f"{_HERE}.passage_notes",
    "passage_by_rules": f"{_HERE}.passage_notes",
    "plan_by_model": f"{_HERE}.plans",
    "plan_by_rules": f"{_HERE}.plans",
    "quality_by_model": f"{_HERE}.quality",
    "quality_by_rules": f"{_HERE}.quality",
    "query_by_model": f"{_HERE}.query_notes",
    "query_by_rules": f"{_HERE}.query_notes",
    "reformulate_by_model": f"{_HERE}.reformulation",
    "reformulate_by_rules": f"{_HERE}.reformulation",
    "searches_by_model": f"{_HERE}.negatives",
    "searches_by_rules": f"{_HERE}.negatives",
}

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

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
