"""Drafts of questions: a topic, windows and the relevant documents, for each kind of question, chosen by hash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from epochal.audit.facts import Facts, hash_choice
from epochal.audit.stale import Chain, find_start
from epochal.times.axis import OPEN_END, OPEN_START, Grain
from epochal.times.span import Span
from epochal_lab.datasets.making.corpus import Axis, Corpus, CorpusTopic, WindowJudgement, find_series

_GRAINS: Final = (Grain.DAY, Grain.MONTH, Grain.QUARTER, Grain.YEAR, Grain.DECADE)
#: A question with more answers than this is one for a list, not for a ranking of ten.
_MAX_GOLD: Final = 10
#: With more documents than this that may belong to it or not, a question is not clear enough.
_MAX_UNCERTAIN: Final = 10
#: Documents with the topic at other times, without which a question does not need its time.
_CONFUSERS: Final = 2
#: A confuser is near when it lies within so many lengths of the window.
_NEAR: Final = 20
_LONGEST: Final = 24
#: How far beside a topic's times a silence is looked for, and how far before all records a time that is not covered.
_REACH: Final = 3
_UNITS_BEFORE: Final = (2, 30)


@dataclass(frozen=True, slots=True)
class QueryWindow:
    """From one unit of a grain to another, both included; they are the same for a single unit."""

    first: Span
    last: Span

    @property
    def span(self) -> Span:
        """The whole of it."""
        return self.first if self.first == self.last else Span.between(self.first, self.last)


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before it has words: `named` is its topic, or the name of a document that has versions.

    `gold` has the documents of each window, `maybe` what is left unjudged, `confusers` the nearest wrong ones.
    """

    kind: str
    named: str
    windows: tuple[QueryWindow, ...]
    gold: tuple[tuple[int, ...], ...]
    maybe: tuple[int, ...]
    confusers: tuple[int, ...]
    axis: Axis = Axis.PUBLISHED
    outcome: str = "recorded"

    def key(self) -> str:
        """What tells it from all other drafts of a collection."""
        return f"{self.kind} {self.axis.value} {self.named} {' '.join(window.span.edtf() for window in self.windows)}"


# ---------------------------------------------------------------- windows


def _list_units(corpus: Corpus, topic: CorpusTopic, axis: Axis, grains: Sequence[Grain] = _GRAINS) -> list[Span]:
    """The units, of all grains, in which a time of the topic lies whole."""
    units = set()
    for number in topic.full:
        for span in corpus.times(topic, number, axis):
            for grain in grains:
                unit = Span.unit(span.start, grain)
                if span.end <= unit.end:
                    units.add(unit)
    return sorted(units, key=lambda unit: (unit.grain, unit.start))


def _find_near_documents(
    corpus: Corpus, topic: CorpusTopic, axis: Axis, judged: WindowJudgement, window: Span
) -> tuple[int, ...] | None:
    """The documents of the topic at other times, nearest first; None where there are too few, or none is near."""
    gaps = []
    for number in judged.others:
        times = corpus.times(topic, number, axis)
        if times:
            gaps.append((min(abs(window.gap(span)) for span in times), number))
    gaps.sort()
    bounded = window.start != OPEN_START and window.end != OPEN_END
    if len(gaps) < _CONFUSERS or (bounded and gaps[0][0] > _NEAR * window.seconds):
        return None
    return tuple(number for _, number in gaps)


def _draft(
    corpus: Corpus, topic: CorpusTopic, axis: Axis, kind: str, window: QueryWindow, query_span: Span
) -> Draft | None:
    """The draft of one window, if it is clear; `query_span` is the time in which the gold must lie."""
    judged = corpus.judge(topic, query_span, axis)
    if not 1 <= len(judged.gold) <= _MAX_GOLD or len(judged.maybe) > _MAX_UNCERTAIN:
        return None
    confusers = _find_near_documents(corpus, topic, axis, judged, query_span)
    if confusers is None:
        return None
    return Draft(kind, topic.text, (window,), (judged.gold,), judged.maybe, confusers, axis)


# ---------------------------------------------------------------- kinds

_Windows = tuple[QueryWindow, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: the windows that may be asked about, and what comes of one of them, or None."""

    name: str
    windows: Callable[[Corpus, CorpusTopic, Axis], Iterator[_Windows]]
    draft: Callable[[Corpus, CorpusTopic, Axis, _Windows], Draft | None]


def _make_unit_windows(*grains: Grain) -> Callable[[Corpus, CorpusTopic, Axis], Iterator[_Windows]]:
    def windows(corpus: Corpus, topic: CorpusTopic, axis: Axis) -> Iterator[_Windows]:
        yield from ((QueryWindow(unit, unit),) for unit in _list_units(corpus, topic, axis, grains))

    return windows


def _list_range_windows(corpus: Corpus, topic: CorpusTopic, axis: Axis) -> Iterator[_Windows]:
    for grain in (Grain.DAY, Grain.MONTH, Grain.YEAR):
        units = _list_units(corpus, topic, axis, (grain,))
        for at, first in enumerate(units):
            for last in units[at + 1 : at + 6]:
                if last.end - first.start <= _LONGEST * grain.seconds:
                    yield (QueryWindow(first, last),)


def _list_window_pairs(corpus: Corpus, topic: CorpusTopic, axis: Axis) -> Iterator[_Windows]:
    for grain in (Grain.DAY, Grain.MONTH, Grain.YEAR):
        units = _list_units(corpus, topic, axis, (grain,))
        for at, one in enumerate(units):
            for two in units[at + 1 : at + 9]:
                if two.start > one.end:
                    yield QueryWindow(one, one), QueryWindow(two, two)


def _list_empty_windows(corpus: Corpus, topic: CorpusTopic, axis: Axis) -> Iterator[_Windows]:
    """Units without the topic that lie beside one with it, between its first and its last."""
    for grain in (Grain.DAY, Grain.MONTH, Grain.YEAR):
        own = _list_units(corpus, topic, axis, (grain,))
        tried = set(own)
        for unit in own:
            for step in range(-_REACH, _REACH + 1):
                unit_beside = unit.shift(step)
                if unit_beside not in tried and own[0].end <= unit_beside.start < own[-1].start:
                    tried.add(unit_beside)
                    yield (QueryWindow(unit_beside, unit_beside),)


def _list_earlier_windows(corpus: Corpus, topic: CorpusTopic, axis: Axis) -> Iterator[_Windows]:
    """Units before the first record of all."""
    whole = corpus.span()
    if whole is None or not _list_units(corpus, topic, axis):
        return
    for grain in (Grain.YEAR, Grain.MONTH):
        for step in range(*_UNITS_BEFORE):
            unit = Span.unit(whole.start, grain).shift(-step)
            yield (QueryWindow(unit, unit),)


def _draft_point(corpus: Corpus, topic: CorpusTopic, axis: Axis, windows: _Windows) -> Draft | None:
    return _draft(corpus, topic, axis, "point", windows[0], windows[0].span)


def _draft_window(corpus: Corpus, topic: CorpusTopic, axis: Axis, windows: _Windows) -> Draft | None:
    draft = _draft(corpus, topic, axis, "window", windows[0], windows[0].span)
    return draft if draft and len(draft.gold[0]) > 1 else None


def _draft_before(corpus: Corpus, topic: CorpusTopic, axis: Axis, windows: _Windows) -> Draft | None:
    return _draft(corpus, topic, axis, "before", windows[0], Span(OPEN_START, windows[0].first.start))


def _draft_after(corpus: Corpus, topic: CorpusTopic, axis: Axis, windows: _Windows) -> Draft | None:
    return _draft(corpus, topic, axis, "after", windows[0], Span(windows[0].first.end, OPEN_END))


def _draft_comparison(corpus: Corpus, topic: CorpusTopic, axis: Axis, windows: _Windows) -> Draft | None:
    one, two = (_draft_point(corpus, topic, axis, (window,)) for window in windows)
    if one is None or two is None:
        return None
    wrong = tuple(number for number in one.confusers if number in two.confusers)
    gold = {*one.gold[0], *two.gold[0]}
    maybe = {*one.maybe, *two.maybe}
    if not wrong or len(gold) > _MAX_GOLD or len(gold) < len(one.gold[0]) + len(two.gold[0]) or gold & maybe:
        return None
    return Draft("comparison", topic.text, windows, (*one.gold, *two.gold), tuple(sorted(maybe)), wrong, axis)


def _draft_none_recorded(corpus: Corpus, topic: CorpusTopic, axis: Axis, windows: _Windows) -> Draft | None:
    """A window in which others are recorded as usual, and the topic is not, not even in part."""
    window = windows[0].span
    if corpus.recorded(window) < _get_minimum_records(corpus, window.grain):
        return None
    judged = corpus.judge(topic, window, axis)
    if judged.gold or judged.maybe:
        return None
    others = _find_near_documents(corpus, topic, axis, judged, window)
    if others is None:
        return None
    return Draft("none_recorded", topic.text, windows, ((),), (), others, axis, "none_recorded")


def _get_minimum_records(corpus: Corpus, grain: Grain) -> float:
    """How many records make a unit of a grain a recorded one: half of what the mean unit has, and no fewer than two."""
    whole = corpus.span()
    if whole is None:
        return np.inf
    return max(2.0, 0.5 * len(corpus.starts) * grain.seconds / max(whole.seconds, grain.seconds))


def _draft_not_covered(corpus: Corpus, topic: CorpusTopic, axis: Axis, windows: _Windows) -> Draft | None:
    window = windows[0].span
    judged = corpus.judge(topic, window, axis)
    if judged.gold or judged.maybe or corpus.recorded(window):
        return None
    others = _find_near_documents(corpus, topic, axis, judged, Span(OPEN_START, window.end))
    if others is None:
        return None
    return Draft("not_covered", topic.text, windows, ((),), (), others, axis, "not_covered")


_CALENDAR: Final = (Grain.DAY, Grain.MONTH, Grain.YEAR)
_KINDS: Final = (
    Kind("point", _make_unit_windows(*_GRAINS), _draft_point),
    Kind("window", _list_range_windows, _draft_window),
    Kind("before", _make_unit_windows(*_CALENDAR), _draft_before),
    Kind("after", _make_unit_windows(*_CALENDAR), _draft_after),
    Kind("comparison", _list_window_pairs, _draft_comparison),
    Kind("none_recorded", _list_empty_windows, _draft_none_recorded),
    Kind("not_covered", _list_earlier_windows, _draft_not_covered),
)
#: The kinds of questions about topics, in the order in which sets have them.
TOPIC_KINDS: Final = {kind.name: kind for kind in _KINDS}


def draft_latest(corpus: Corpus, chains: Sequence[Chain]) -> Iterator[Draft]:
    """A draft a chain: the newest version, and the older ones as its confusers. Copies of it are left unjudged."""
    for chain in chains:
        *older, newest = chain.versions
        begin = find_start(corpus.facts[newest])
        if begin is None or (corpus.now is not None and begin.start >= corpus.now.end):
            continue  # whoever asks cannot know of it yet
        same = _find_copies(corpus, newest, older)
        wrong = tuple(number for number in reversed(older) if number not in same)
        if wrong:
            yield Draft("latest", chain.name, (), ((newest,),), same, wrong)


def draft_as_of(corpus: Corpus, chains: Sequence[Chain], seed: int) -> Iterator[Draft]:
    """A draft for each version but the last: a day, or a month, on which it held and no other did."""
    for chain in chains:
        for position, number in enumerate(chain.versions[:-1]):
            held = _get_validity(corpus.facts[number], corpus.facts[chain.versions[position + 1]])
            window = None if held is None else _find_unit_within(*held, hash_choice(seed, chain.name, str(position)))
            if window is None:
                continue
            others = [other for other in chain.versions if other != number]
            same = _find_copies(corpus, number, others)
            wrong = sorted(
                (other for other in others if other not in same),
                key=lambda other: _get_version_distance(chain, other, number),
            )
            if wrong:
                yield Draft("as_of", chain.name, (QueryWindow(window, window),), ((number,),), same, tuple(wrong))


def find_entry_chains(corpus: Corpus) -> tuple[list[Chain], list[Chain]]:
    """Chains of the entries of series, such as releases: those that end with the newest, and all.

    Entries of one day have no order: a chain ends before them, and the next begins behind them.
    """
    newest, held = [], []
    for name, numbers in find_series(corpus.facts).items():
        starts = [(span, number) for number in numbers if (span := find_start(corpus.facts[number])) is not None]
        if len(starts) < len(numbers):
            continue
        starts.sort(key=lambda pair: (pair[0].start, pair[1]))
        runs: list[list[int]] = [[]]
        end = OPEN_START
        for place, (span, number) in enumerate(starts):
            is_tied = span.start < end or (place + 1 < len(starts) and starts[place + 1][0].start < span.end)
            end = max(end, span.end)
            if is_tied:
                runs.append([])
            else:
                runs[-1].append(number)
        chains = [Chain(name, tuple(run), False) for run in runs if len(run) > 1]
        held += chains
        newest += [chain for chain in chains if chain.versions[-1] == starts[-1][1]]
    return newest, held


def _get_version_distance(chain: Chain, one: int, two: int) -> tuple[int, int]:
    return abs(chain.versions.index(one) - chain.versions.index(two)), one


def _get_validity(version: Facts, following: Facts) -> tuple[int, int] | None:
    """From when to when a version surely held, in seconds."""
    begin, then = find_start(version), find_start(following)
    if begin is None or then is None:
        return None
    valid = version.document.valid
    start = begin.start if valid is not None else begin.end
    end = then.start if valid is None else min(valid.end, then.start)
    return (start, end) if start < end else None


def _find_unit_within(start: int, end: int, choice: int) -> Span | None:
    """A month or a day that lies wholly between two seconds; months only where there is room for one."""
    for grain in (Grain.MONTH, Grain.DAY) if choice % 2 else (Grain.DAY,):
        first = Span.unit(start - 1, grain).shift(1)
        room = (end - first.start) // grain.seconds
        if room < 1:
            continue
        unit = first.shift(choice // 2 % min(room, 60))
        if unit.start >= start and unit.end <= end:
            return unit
    return None


def _find_copies(corpus: Corpus, number: int, others: Sequence[int]) -> tuple[int, ...]:
    """Those of the other versions whose text is the same, word for word."""
    return tuple(other for other in others if corpus.wording(other) == corpus.wording(number))


#: Windows of one topic that are tried before it is given up for a kind.
_TRIED: Final = 60
_MAX_CONFUSERS: Final = 5


def choose(corpus: Corpus, topics: Sequence[CorpusTopic], kind: str, count: int, seed: int) -> list[Draft]:
    """So many drafts of a kind, or as many as there are. No topic has two before every topic was asked for one.

    Which ones depends on the seed, the topic and the window alone: a document that is added elsewhere changes nothing.
    """
    order = sorted(topics, key=lambda topic: hash_choice(seed, kind, topic.text))
    waiting = [_interleave_drafts(corpus, topic, TOPIC_KINDS[kind], seed) for topic in order]
    selected: list[Draft] = []
    while waiting and len(selected) < count:
        left = []
        for drafts in waiting:
            draft = next(drafts, None)
            if draft is None:
                continue
            left.append(drafts)
            selected.append(replace(draft, confusers=draft.confusers[:_MAX_CONFUSERS]))
            if len(selected) == count:
                break
        waiting = left
    return selected


def _interleave_drafts(corpus: Corpus, topic: CorpusTopic, kind: Kind, seed: int) -> Iterator[Draft]:
    """The drafts of a topic, from each axis one by turns."""
    axes = sorted(corpus.axes, key=lambda axis: hash_choice(seed, kind.name, topic.text, axis.value))
    waiting = [_list_drafts(corpus, topic, axis, kind, seed) for axis in axes]
    while waiting:
        for drafts in tuple(waiting):
            draft = next(drafts, None)
            if draft is None:
                waiting.remove(drafts)
            else:
                yield draft


def _list_drafts(corpus: Corpus, topic: CorpusTopic, axis: Axis, kind: Kind, seed: int) -> Iterator[Draft]:
    """The drafts of a topic in an order that is its own; windows are looked at when they are asked for."""
    windows = list(kind.windows(corpus, topic, axis))
    grains = sorted({group[0].first.grain for group in windows})
    # By turns one of each grain: days are many and years are few, and both should be asked about.
    rank = {grain: hash_choice(seed, kind.name, topic.text, grain.label) for grain in grains}
    by_grain = {
        grain: sorted(
            (group for group in windows if group[0].first.grain is grain),
            key=lambda group: hash_choice(seed, kind.name, topic.text, *(window.span.edtf() for window in group)),
        )
        for grain in grains
    }
    tried = 0
    for position in range(max((len(group) for group in by_grain.values()), default=0)):
        for grain in sorted(grains, key=lambda grain: rank[grain]):
            if position < len(by_grain[grain]):
                tried += 1
                if tried > _TRIED:
                    return
                if draft := kind.draft(corpus, topic, axis, by_grain[grain][position]):
                    yield draft


def choose_versions(drafts: Iterator[Draft], count: int, seed: int) -> list[Draft]:
    """So many of the drafts about versions: one a document before any has two."""
    by_name: dict[str, list[Draft]] = {}
    for draft in drafts:
        by_name.setdefault(draft.named, []).append(draft)
    names = sorted(by_name, key=lambda name: hash_choice(seed, name))
    for name in names:
        by_name[name].sort(key=lambda draft: hash_choice(seed, draft.key()))
    selected: list[Draft] = []
    turn = 0
    while len(selected) < count and any(turn < len(group) for group in by_name.values()):
        selected += [by_name[name][turn] for name in names if turn < len(by_name[name])]
        turn += 1
    return [replace(draft, confusers=draft.confusers[:_MAX_CONFUSERS]) for draft in selected[:count]]
