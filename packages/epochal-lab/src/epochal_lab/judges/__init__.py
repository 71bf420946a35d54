"""Judges of temporal relevance and period coverage: one with a language model, one without, and their agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.judges.agreement import measure_agreement as measure_agreement
    from epochal_lab.judges.base import Judge as Judge
    from epochal_lab.judges.base import Judgement as Judgement
    from epochal_lab.judges.base import JudgeResult as JudgeResult
    from epochal_lab.judges.base import judge_pairs as judge_pairs
    from epochal_lab.judges.base import judge_run as judge_run
    from epochal_lab.judges.base import read_judgements as read_judgements
    from epochal_lab.judges.base import write_judgements as write_judgements
    from epochal_lab.judges.evidence import add_periods as add_periods
    from epochal_lab.judges.llm import LlmJudge as LlmJudge
    from epochal_lab.judges.spans import SpanJudge as SpanJudge

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.judges.agreement": "measure_agreement",
        "epochal_lab.judges.base": "Judge JudgeResult Judgement judge_pairs judge_run read_judgements write_judgements",
        "epochal_lab.judges.evidence": "add_periods",
        "epochal_lab.judges.llm": "LlmJudge",
        "epochal_lab.judges.spans": "SpanJudge",
    },
)
