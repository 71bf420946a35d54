"""Judges of temporal relevance and period coverage: one over a language model, one without, and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.judges.agreement import agree as agree
    from epochal_lab.judges.base import Judge as Judge
    from epochal_lab.judges.base import Judged as Judged
    from epochal_lab.judges.base import Judgement as Judgement
    from epochal_lab.judges.base import judge_pairs as judge_pairs
    from epochal_lab.judges.base import judge_run as judge_run
    from epochal_lab.judges.base import read_judgements as read_judgements
    from epochal_lab.judges.base import write_judgements as write_judgements
    from epochal_lab.judges.evidence import with_periods as with_periods
    from epochal_lab.judges.llm import LlmJudge as LlmJudge
    from epochal_lab.judges.spans import SpanJudge as SpanJudge

__all__ = [
    "Judge",
    "Judged",
    "Judgement",
    "LlmJudge",
    "SpanJudge",
    "agree",
    "judge_pairs",
    "judge_run",
    "read_judgements",
    "with_periods",
    "write_judgements",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.judges.agreement": "agree",
        "epochal_lab.judges.base": "Judge Judged Judgement judge_pairs judge_run read_judgements write_judgements",
        "epochal_lab.judges.evidence": "with_periods",
        "epochal_lab.judges.llm": "LlmJudge",
        "epochal_lab.judges.spans": "SpanJudge",
    },
)
