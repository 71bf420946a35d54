"""Judged runs: TEMPO's measures of several systems on several sets, averaged over sets and over questions.

Pooled over all questions is TEMPO's Table 4, the mean of domains its Table 3; of steps both averages are shown. The
mean of nDCG|FC is over the questions that a system covers in full, others for each system, so a second column has its
mean over the questions that all systems of a set cover.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from epochal_lab.datasets.records import BenchSet, average_steps
from epochal_lab.judges.base import JudgeResult
from epochal_lab.metrics.evaluation import average, average_domains, evaluate, missing_requirements, parse_measures
from epochal_lab.metrics.runs import Run

#: TEMPO's measures that verdicts are for, and the usual one beside them.
JUDGED_MEASURES: Final = ("TP", "TR", "TC", "nDCG|FC", "nDCG")
_FULL: Final = "nDCG|FC"
_COMMON: Final = ", common"
_PARENT: Final = "parent"


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRun:
    """A system on a set: the values of each measure by question, and what the judge decided.

    `by_question` has, for a set of steps, the mean within each question.
    """

    set: str
    system: str
    judge: str
    k: int
    values: Mapping[str, Mapping[str, float]]
    judgements: int
    relevant: int
    gaps: int
    atemporal: tuple[str, ...] = ()
    by_question: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        record: dict[str, Any] = {"set": self.set, "system": self.system, "judge": self.judge, "k": self.k}
        record |= {"judgements": self.judgements, "relevant": self.relevant, "gaps": self.gaps}
        record |= {"atemporal": list(self.atemporal), "measures": {}}
        for name, values in self.values.items():
            mean = average(values.values())
            entry = {"mean": _to_number(mean.mean), "questions": mean.count, "undefined": mean.undefined}
            if name in self.by_question:
                entry["mean_by_question"] = _to_number(self.by_question[name])
            record["measures"][name] = entry
        return record


def measure_judged(system: str, k: int, run: Run, bench_set: BenchSet, judge: str, result: JudgeResult) -> JudgedRun:
    """Measure a run by the verdicts of a judge on its first k documents."""
    # No measure of verdicts needs the documents, which take long to read.
    judgements = replace(bench_set, documents=()).judgements(result.verdicts)
    measures = parse_measures(" ".join(f"{name}@{k}" for name in JUDGED_MEASURES))
    evaluation = evaluate(run, judgements, [item for item in measures if not missing_requirements(item, judgements)])
    values = {str(outcome.measure): outcome.values for outcome in evaluation.outcomes}
    steps: dict[str, float] = {}
    if bench_set.queries and all(isinstance(query.annotations.get(_PARENT), str) for query in bench_set.queries):
        steps = {
            name: average_steps({query.id: per.get(query.id, math.nan) for query in bench_set.queries}, bench_set)
            .by_question
            for name, per in values.items()
        }  # fmt: skip
    relevant = sum(item.verdict.relevant is True for item in result.judgements)
    return JudgedRun(
        bench_set.id, system, judge, k, values, len(result.judgements), relevant, result.gaps, result.atemporal, steps
    )


def average_judged(runs: Sequence[JudgedRun]) -> dict[str, dict[str, dict[str, float | None]]]:
    """By system and measure the mean of sets, `macro`, and the mean of all questions, `pooled`."""
    output: dict[str, dict[str, dict[str, float | None]]] = {}
    for system, group in _group_by_system(runs).items():
        names = dict.fromkeys(name for run in group for name in run.values)
        for name in names:
            means = average_domains({run.set: run.values[name] for run in group if name in run.values})
            entry = {"macro": _to_number(means.macro.mean), "pooled": _to_number(means.pooled.mean)}
            output.setdefault(system, {})[name] = entry
    return output


def format_judged_table(runs: Sequence[JudgedRun]) -> str:
    """A Markdown table: a row per set and system, and per system the mean of sets and that of all questions."""
    common = _measure_common(runs)
    present = {name for run in runs for name in run.values}
    names = sorted(present, key=lambda name: JUDGED_MEASURES.index(name.partition("@")[0]))
    columns = [name for name in names for name in ((name, name + _COMMON) if name in common else (name,))]
    heads = [
        "set",
        "system",
        "questions",
        "judged",
        "relevant",
        "gaps",
        *(name.replace("|", r"\|") for name in columns),
    ]
    lines = [_format_line(heads), "|" + "---|" * len(heads)]
    for run in runs:
        counts = [len(next(iter(run.values.values()), {})), run.judgements, run.relevant, run.gaps]
        means = {name: average(per.values()).mean for name, per in run.values.items()}
        means |= {name + _COMMON: values.get((run.set, run.system), math.nan) for name, values in common.items()}
        lines.append(_format_row(run.set, run.system, counts, means, columns))
        if run.by_question:
            lines.append(_format_row(f"{run.set}, by question", run.system, counts, run.by_question, columns))
    averages = average_judged(runs)
    for system, group in _group_by_system(runs).items():
        if len({run.set for run in group}) > 1:
            counts = [sum(len(next(iter(run.values.values()), {})) for run in group)]
            counts += [sum(getattr(run, name) for run in group) for name in ("judgements", "relevant", "gaps")]
            for label, kind in ((f"mean of {len(group)} sets", "macro"), ("all questions", "pooled")):
                row = {name: value for name, entry in averages[system].items() if (value := entry[kind]) is not None}
                lines.append(_format_row(label, system, counts, row, columns))
    return "\n".join(lines)


def _measure_common(runs: Sequence[JudgedRun]) -> dict[str, dict[tuple[str, str], float]]:
    """The mean of nDCG|FC over the questions that all systems of a set cover, where a set has several."""
    output: dict[str, dict[tuple[str, str], float]] = {}
    sets: dict[str, list[JudgedRun]] = {}
    for run in runs:
        sets.setdefault(run.set, []).append(run)
    for group in sets.values():
        name = next((name for name in group[0].values if name.startswith(_FULL)), None)
        if name is None or len(group) < 2 or any(name not in run.values for run in group):
            continue
        covered = [{id for id, value in run.values[name].items() if not math.isnan(value)} for run in group]
        shared = set.intersection(*covered)
        for run in group:
            mean = average(run.values[name][id] for id in sorted(shared)).mean
            output.setdefault(name, {})[run.set, run.system] = mean
    return output


def _group_by_system(runs: Iterable[JudgedRun]) -> dict[str, list[JudgedRun]]:
    groups: dict[str, list[JudgedRun]] = {}
    for run in runs:
        groups.setdefault(run.system, []).append(run)
    return groups


def _format_row(
    name: str, system: str, counts: Sequence[int], means: Mapping[str, float], columns: Sequence[str]
) -> str:
    values = [means.get(column, math.nan) for column in columns]
    cells = ["–" if math.isnan(value) else f"{value:.3f}" for value in values]
    return _format_line([name, system, *(f"{count:,}" for count in counts), *cells])


def _format_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _to_number(value: float) -> float | None:
    return None if math.isnan(value) else value
