"""Judges of temporal relevance and period coverage: one over a language model, one without, and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.bench.judges.agreement import agree as agree
    from epochal.bench.judges.base import Judge as Judge
    from epochal.bench.judges.base import Judgement as Judgement
    from epochal.bench.judges.files import read_judgements as read_judgements
    from epochal.bench.judges.files import write_judgements as write_judgements
    from epochal.bench.judges.gate import with_periods as with_periods
    from epochal.bench.judges.judging import Judged as Judged
    from epochal.bench.judges.judging import judge_pairs as judge_pairs
    from epochal.bench.judges.judging import judge_run as judge_run
    from epochal.bench.judges.llm import LlmJudge as LlmJudge
    from epochal.bench.judges.spans import SpanJudge as SpanJudge

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

_HOMES = {
    "Judge": "epochal.bench.judges.base",
    "Judged": "epochal.bench.judges.judging",
    "Judgement": "epochal.bench.judges.base",
    "LlmJudge": "epochal.bench.judges.llm",
    "SpanJudge": "epochal.bench.judges.spans",
    "agree": "epochal.bench.judges.agreement",
    "judge_pairs": "epochal.bench.judges.judging",
    "judge_run": "epochal.bench.judges.judging",
    "read_judgements": "epochal.bench.judges.files",
    "with_periods": "epochal.bench.judges.gate",
    "write_judgements": "epochal.bench.judges.files",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
