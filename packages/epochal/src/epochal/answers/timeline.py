"""The extractive answer: evidence in the order of time, cited and quoted, with its gaps, in the words of the records.

Documents are only quoted. Instructions in their texts are not followed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from epochal.answers.answer import EVIDENCE_STATUSES, Answer, AnswerTime, Citation, Missing, Part, describe_gap
from epochal.answers.evidence import (
    EvidenceItem,
    PeriodEvidence,
    Plan,
    asks_when,
    find_quote,
    is_carried_over,
    is_subject_covered,
)
from epochal.ranking.terms import Terms
from epochal.search.response import Outcome
from epochal.times.axis import OPEN_END
from epochal.times.span import Span

_BY_AXIS = {"content": "text"}
_UNKNOWN = "Topic unknown: the records have nothing on this at any time."
#: Where a date comes from that a text states.
_STATED = ("text", "title", "sequence")
_BESIDES = ("other", "near")
#: Scores that are equal to so many digits are equal.
_DIGITS = 6
#: Another time is offered where the words around it match the question nearly as well as those around the first: a cut
#: of a rate does not answer when it was raised.
_MIN_SHARE_OF_FIRST = 0.9


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """The evidence of an answer: citations, numbered through all parts, and the item behind each of them."""

    parts: tuple[Part, ...]
    citations: tuple[Citation, ...]
    items: tuple[EvidenceItem, ...]


def make_evidence_set(
    evidence: Sequence[PeriodEvidence], terms: Terms, reach: tuple[Span, Span] | None = None
) -> EvidenceSet:
    """Evidence as numbered citations, part by part; within a part what answers comes first, in the order of time."""
    numbered = [(place, item) for place, one in enumerate(evidence) for item in sorted(one.items, key=_turn)]
    # What answers is numbered first, through all parts; what is given besides, and mostly not shown, behind it.
    numbered.sort(key=lambda row: row[1].standing in _BESIDES)
    citations = tuple(_make_citation(number, item, place, terms) for number, (place, item) in enumerate(numbered, 1))
    parts = []
    for place, one in enumerate(evidence):
        period = None if one.window is None else one.window.span
        sentence = _UNKNOWN if one.outcome == "topic_unknown" else ""
        sentence = sentence if period is None else describe_gap(period, one.outcome, reach)
        numbers = tuple(item.number for item in citations if item.part == place)
        parts.append(Part(period, one.outcome, sentence, numbers, one.more))
    return EvidenceSet(tuple(parts), citations, tuple(item for _, item in numbered))


def _turn(item: EvidenceItem) -> tuple[int, int, int]:
    """The place of an item in its part; what has no date comes last, and of one date the best first."""
    date = item.date
    start, end = (OPEN_END, OPEN_END) if date is None else (date.start, date.end)
    return EVIDENCE_STATUSES.index(item.standing), start, end


def _make_citation(number: int, item: EvidenceItem, part: int, terms: Terms) -> Citation:
    document, evidence = item.hit.document, item.evidence
    start, end = find_quote(item.hit, evidence, terms)
    by = ""
    if evidence is not None and item.date == evidence.span:
        by = "sequence" if is_carried_over(evidence) else _BY_AXIS.get(evidence.axis, evidence.axis)
    elif item.date is not None:
        by = "published" if document.published is not None else "valid"
    return Citation(
        number=number,
        id=document.id,
        title=document.title,
        quote=document.text[start:end],
        start_char=start,
        end_char=end,
        date=item.date,
        dated_by=by,
        standing=item.standing,
        part=part,
        published=document.published,
        superseded_by=item.hit.superseded_by,
        behind=item.hit.folded,
    )


def _group_times(evidence_set: EvidenceSet) -> tuple[AnswerTime, ...]:
    """The times of the citations, each with all that have it or a part of it; that of the best hit first.

    A time that no text states beside the question's words is the date of publication, and is given only where no other
    one is.
    """
    stated = [item for item in evidence_set.citations if item.dated_by in _STATED and item.date is not None]
    dated = stated or [item for item in evidence_set.citations if item.date is not None]
    groups: list[tuple[Span, list[int]]] = []
    # The finest statement of a time represents the coarser ones: "15 March 44 BC" and "44 BC" agree.
    for item in sorted(dated, key=lambda item: (_measure_length(item), item.number)):
        span = item.date
        assert span is not None
        for known, numbers in groups:
            if known in span or known == span:
                numbers.append(item.number)
                break
        else:
            groups.append((span, [item.number]))
    scores = {
        citation.number: item.hit.score
        for citation, item in zip(evidence_set.citations, evidence_set.items, strict=True)
    }
    # Of what happened several times, and is stated equally well, the last is meant rather than the first.
    groups.sort(key=lambda group: (-round(max(scores[number] for number in group[1]), _DIGITS), -group[0].start))
    if stated:
        groups = _drop_off_topic(groups, evidence_set)
    return tuple(AnswerTime(span, tuple(sorted(numbers)), bool(stated)) for span, numbers in groups)


def _drop_off_topic(groups: list[tuple[Span, list[int]]], evidence_set: EvidenceSet) -> list[tuple[Span, list[int]]]:
    """The first time, and those with words around them that match the question nearly as well."""
    matches = {
        citation.number: 0.0 if item.evidence is None else item.evidence.local
        for citation, item in zip(evidence_set.citations, evidence_set.items, strict=True)
    }
    best = [max(matches[number] for number in numbers) for _, numbers in groups]
    return [group for group, match in zip(groups, best, strict=True) if match >= _MIN_SHARE_OF_FIRST * best[0]]


def _measure_length(item: Citation) -> int:
    return OPEN_END if item.date is None or item.date.is_open else item.date.end - item.date.start


def make_timeline(
    plan: Plan,
    evidence: Sequence[PeriodEvidence],
    evidence_set: EvidenceSet,
    *,
    as_of: Span | None = None,
    newest: Span | None = None,
) -> Answer:
    """The answer that an evidence set gives by itself."""
    hidden: Counter[str] = Counter()
    for one in evidence:
        for reason, count in one.hidden.items():
            # The reasons of several searches concern the same documents: the largest count is the honest one.
            hidden[reason] = max(hidden[reason], count)
    hidden.pop("at another time", None)
    lost = dict.fromkeys(name for one in evidence for name in one.missing)
    gaps = [Missing(part.sentence, part.period, part.outcome) for part in evidence_set.parts if part.sentence]
    return Answer(
        question=plan.question,
        outcome=_merge_outcomes(evidence_set.parts),
        parts=evidence_set.parts,
        citations=evidence_set.citations,
        missing=(
            *gaps,
            *(Missing(f"No record mentions {name}.") for name in _find_missing_subjects(plan, evidence_set)),
            *(Missing(f"The shard {name} does not answer: what it holds was not searched.") for name in lost),
        ),
        now=plan.now,
        as_of=as_of,
        newest=newest,
        plan=plan.understanding.plan,
        times=_group_times(evidence_set) if asks_when(plan.understanding) else (),
        hidden=dict(hidden),
    )


def _find_missing_subjects(plan: Plan, evidence_set: EvidenceSet) -> list[str]:
    """The subjects of a question that nothing of what answers it is about."""
    answering = [item for item in evidence_set.items if item.standing not in _BESIDES]
    return [name for name in plan.subjects if answering and not is_subject_covered(name, answering)]


def _merge_outcomes(parts: Sequence[Part]) -> Outcome:
    """Of several times the best outcome; what others lack is reported as missing."""
    order: tuple[Outcome, ...] = ("recorded", "none_recorded", "not_covered", "topic_unknown", "no_window")
    return min((part.outcome for part in parts), key=order.index, default="no_window")
