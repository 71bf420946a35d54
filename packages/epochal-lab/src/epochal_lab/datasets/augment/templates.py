"""Rows without a language model: frames and windows put together, and every label read back from the question itself.

What a passage answers: questions about it whose time shares something with its own, and questions that ask for its
time. What it does not answer: the same questions at a time that shares nothing, questions about somebody else at its
own time, and questions for the time of something else. The tagger reads each question as it was written. One that does
not state exactly one time is thrown away, and so is one whose time does not lie as it must. The relation is that of
what was read.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from epochal_lab.datasets.augment.chunks import Chunk, StatedTime, read_stated_times, relate_spans, shares_time
from epochal_lab.datasets.augment.frames import SLOT, Frame, build_frames, strip_interrogative
from epochal_lab.datasets.augment.rows import (
    EMPTY,
    EXPLICIT,
    IMPLICIT,
    TEMPORAL_ANSWER,
    TemporalQuestion,
    TemporalRow,
)
from epochal_lab.datasets.augment.windows import ChunkWindow, build_anchor_windows, build_windows, group_by_relation
from epochal_lab.datasets.making.names import NameFinder

#: How many questions of each sign a chunk gets, as TMRL asks its language model for.
POSITIVES: Final = 5
NEGATIVES: Final = 5
#: What surely answers: the asked time holds the passage's. What is only a part of it may be the wrong part.
_HOLDING: Final = {"Equals": 3.0, "Contains": 3.0, "StartedBy": 1.5, "FinishedBy": 1.5}
_PARTLY: Final = {"During": 2.0, "Starts": 1.2, "Finishes": 1.2, "Overlaps": 1.2, "OverlappedBy": 1.2}
_APART: Final = {"Before": 2.5, "After": 2.5, "Meets": 1.5, "MetBy": 1.5}
#: How often one question about a point in time asks for a part of it, or for what reaches into it only; and how often
#: the time comes first in a question.
_RISK: Final = 0.25
_FIRST: Final = 0.12
#: How often a question is about the clause of the time, and how often a wrong one repeats the words of a right one.
_ABOUT_CLAUSE: Final = 0.75
_REPEATED: Final = 0.7
_TRIES: Final = 6
_MAX_TIMES: Final = 3
_CAPITAL: Final = re.compile(r"\b[A-Z][\w'’-]+")
_WORD: Final = re.compile(r"\w[\w'’-]*")


def normalise_text(text: str) -> str:
    """What two texts have in common that say the same: their words in small letters."""
    return " ".join(_WORD.findall(text.lower()))


class RowMaker:
    """Makes the rows of chunks. Which questions depends on the chunk, the seed and the chunks beside it.

    `dropped` counts what was thrown away, by the reason.
    """

    def __init__(
        self, chunks: Sequence[Chunk], *, seed: int = 0, positives: int = POSITIVES, negatives: int = NEGATIVES
    ) -> None:
        self._chunks = chunks
        self._seed = seed
        self._counts = (positives, negatives)
        self.dropped: Counter[str] = Counter()
        self._finder = NameFinder()
        for chunk in chunks:
            self._finder.show(
                chunk.text, [(stated_time.start_char, stated_time.end_char) for stated_time in chunk.stated_times]
            )
        self._frames = [build_frames(chunk, self._finder) for chunk in chunks]
        self._plain: dict[str, bool] = {}
        self._by_verb: dict[str, list[int]] = defaultdict(list)
        for number, frames in enumerate(self._frames):
            for verb in sorted({frame.verb for frame in frames if frame.verb}):
                self._by_verb[verb].append(number)

    def rows(self) -> Iterator[TemporalRow]:
        """The rows, in the order of the chunks. A passage that came before, and a question that did, are left out."""
        passages: set[str] = set()
        seen: set[str] = set()
        for number, chunk in enumerate(self._chunks):
            if normalise_text(chunk.text) in passages:
                self.dropped["passage repeated"] += 1
                continue
            row = _QuestionSampler(self, number, seen).row(*self._counts)
            if row is None:
                continue
            passages.add(normalise_text(chunk.text))
            seen.update(normalise_text(question.text) for question in row.questions)
            yield row

    def chunk(self, number: int) -> Chunk:
        """One of the chunks."""
        return self._chunks[number]

    def frames(self, number: int, stated_time: StatedTime) -> list[Frame]:
        """The frames of a chunk around one of its moments."""
        chunk = self._chunks[number]
        return (
            self._frames[number] if stated_time is chunk.stated_time else build_frames(chunk, self._finder, stated_time)
        )

    def is_plain(self, frame: Frame) -> bool:
        """Whether a frame says nothing of time by itself, so that what is put into it is all."""
        known = self._plain.get(frame.text)
        if known is None:
            bare = strip_interrogative(frame.text) if frame.asks else frame.text.replace(SLOT, "")
            read = read_stated_times(bare, implicit=True) if bare is not None else None
            known = self._plain[frame.text] = read is not None and not read.stated_times and not read.others
            self.dropped["a time in the words of a chunk"] += not known
        return known

    def chance(self, number: int) -> random.Random:
        """The chance that a chunk has, whatever is beside it."""
        return random.Random(f"{self._seed} {self._chunks[number].id} {self._chunks[number].text}")

    def elsewhere(self, number: int, verb: str, chance: random.Random) -> Iterator[Frame]:
        """Frames of other chunks that name nobody whom this one names; rather with the same verb."""
        own = set(_WORD.findall(self._chunks[number].text))
        alike = self._by_verb.get(verb, [])
        for turn in range(3 * _TRIES):
            position = chance.choice(alike) if alike and turn % 2 == 0 else chance.randrange(len(self._chunks))
            if self._chunks[position].source == self._chunks[number].source:
                continue
            frames = [frame for frame in self._frames[position] if _find_names(frame) and not own & _find_names(frame)]
            selected = chance.choice(frames) if frames else None
            if selected is not None and self.is_plain(selected):
                yield selected


def _find_names(frame: Frame) -> set[str]:
    """The capitalised words of a frame but the one that opens it."""
    return set(_CAPITAL.findall(frame.text[1:]))


class _Times:
    """The windows around a moment, by how they lie to it."""

    def __init__(self, stated_time: StatedTime, chance: random.Random) -> None:
        self.stated_time = stated_time
        self.explicit = group_by_relation(build_windows(stated_time.span, chance), stated_time.span)
        self.implicit = group_by_relation(build_anchor_windows(stated_time.span, chance), stated_time.span)


class _QuestionSampler:
    """The questions of one chunk, drawn by its own chance."""

    def __init__(self, maker: RowMaker, number: int, seen: set[str]) -> None:
        self._maker = maker
        self._number = number
        self._chunk = maker.chunk(number)
        self._chance = maker.chance(number)
        self._asked = seen
        self._own: set[str] = set()
        self._used: list[Frame] = []
        self._asks = False

    def row(self, positives: int, negatives: int) -> TemporalRow | None:
        """The row, or None where the chunk gives no question of either sign, or fewer than two with a time."""
        maker, chunk = self._maker, self._chunk
        right: list[TemporalQuestion] = []
        wrong: list[TemporalQuestion] = []
        # Of many times a few are asked about, each with its share of the questions.
        named = [stated_time for stated_time in chunk.stated_times if stated_time.absolute]
        sampled = self._chance.sample(named, min(_MAX_TIMES, len(named)))
        for number, stated_time in enumerate(sampled):
            frames = maker.frames(self._number, stated_time)
            times = _Times(stated_time, self._chance)
            left = len(sampled) - number
            right += self._make_positives(times, frames, -(-(positives - len(right)) // left))
            wrong += self._make_negatives(times, frames, -(-(negatives - len(wrong)) // left))
        right, wrong = right[:positives], wrong[:negatives]
        if not right or not wrong:
            maker.dropped["no topic" if not right else "nothing to contrast"] += 1
            return None
        if sum(question.relation != EMPTY for question in (*right, *wrong)) < 2:
            maker.dropped["fewer than two questions with a time"] += 1
            return None
        return TemporalRow(
            chunk.id,
            chunk.text,
            tuple(stated_time.text for stated_time in chunk.stated_times),
            tuple(right),
            tuple(wrong),
        )

    # ------------------------------------------------------------ what the chunk answers

    def _make_positives(self, times: _Times, frames: Sequence[Frame], count: int) -> list[TemporalQuestion]:
        chance = self._chance
        sharing = dict(_HOLDING)
        if times.stated_time.is_range:
            sharing |= _PARTLY
        elif chance.random() < _RISK:
            name = chance.choices(list(_PARTLY), list(_PARTLY.values()))[0]
            sharing[name] = _PARTLY[name]
        questions: list[TemporalQuestion] = []
        if not self._asks and chance.random() < 0.6:
            questions += self._make_time_questions(frames)
        if chance.random() < 0.7:
            questions += self._make_timed_questions(frames, times.implicit, sharing, times.stated_time, True, 1)
        if "Equals" in times.explicit and chance.random() < 0.5:
            questions += self._make_timed_questions(frames, times.explicit, {"Equals": 1.0}, times.stated_time, True, 1)
        questions += self._make_timed_questions(
            frames, times.explicit, sharing, times.stated_time, True, count - len(questions)
        )
        return questions

    def _make_time_questions(self, frames: Sequence[Frame]) -> list[TemporalQuestion]:
        asking = [frame for frame in frames if frame.asks]
        for frame in self._chance.sample(asking, min(_TRIES, len(asking))):
            question = self._make_untimed_question(frame) if self._maker.is_plain(frame) else None
            if question is not None:
                self._asks = True
                return [question]
        return []

    def _make_timed_questions(
        self,
        frames: Sequence[Frame],
        windows: dict[str, list[ChunkWindow]],
        relations: dict[str, float],
        stated_time: StatedTime,
        sharing: bool,
        count: int,
    ) -> list[TemporalQuestion]:
        """So many questions with a time, of different relations as far as there are."""
        chance = self._chance
        questions: list[TemporalQuestion] = []
        left = {name: weight for name, weight in relations.items() if windows.get(name)}
        for _ in range(_TRIES * max(count, 0)):
            if len(questions) >= count or not left:
                break
            name = chance.choices(list(left), list(left.values()))[0]
            window = _sample_window(windows[name], stated_time, chance)
            frame = self._choose_frame(frames, sharing)
            if frame is None:
                break
            text = frame.fill_template(window.words, first=chance.random() < _FIRST)
            question = self._check_question(text, stated_time, sharing)
            if question is None:
                continue
            questions.append(question)
            if sharing:
                self._used.append(frame)
            left[name] *= 0.3
        return questions

    def _choose_frame(self, frames: Sequence[Frame], sharing: bool) -> Frame | None:
        """A frame that says nothing of time by itself; None where there is none."""
        chance = self._chance
        if not sharing and self._used and chance.random() < _REPEATED:
            return chance.choice(self._used)
        slots = [frame for frame in frames if not frame.asks]
        about = [frame for frame in slots if frame.verb]
        candidates = about if about and chance.random() < _ABOUT_CLAUSE else slots
        for group in (candidates, slots):
            for frame in chance.sample(group, len(group)):
                if self._maker.is_plain(frame):
                    return frame
        return None

    # ------------------------------------------------------------ what it does not answer

    def _make_negatives(self, times: _Times, frames: Sequence[Frame], count: int) -> list[TemporalQuestion]:
        chance = self._chance
        questions: list[TemporalQuestion] = []
        if chance.random() < 0.6:
            questions += self._make_other_subject_questions(times, frames)
        if chance.random() < 0.3:
            questions += self._make_other_time_questions(frames)
        if chance.random() < 0.6:
            questions += self._make_timed_questions(frames, times.implicit, _APART, times.stated_time, False, 1)
        questions += self._make_timed_questions(
            frames, times.explicit, _APART, times.stated_time, False, count - len(questions)
        )
        return questions

    def _make_other_subject_questions(self, times: _Times, frames: Sequence[Frame]) -> list[TemporalQuestion]:
        """Somebody else at the same time."""
        near = [window for name in _HOLDING for window in times.explicit.get(name, ())]
        if not near:
            return []
        for frame in self._maker.elsewhere(self._number, _find_verb(frames), self._chance):
            if frame.asks:
                continue
            window = _sample_window(near, times.stated_time, self._chance)
            question = self._check_question(frame.fill_template(window.words), times.stated_time, None)
            if question is not None:
                return [question]
        return []

    def _make_other_time_questions(self, frames: Sequence[Frame]) -> list[TemporalQuestion]:
        """The time of something else."""
        for frame in self._maker.elsewhere(self._number, _find_verb(frames), self._chance):
            if frame.asks:
                question = self._make_untimed_question(frame)
                if question is not None:
                    return [question]
        return []

    # ------------------------------------------------------------ checks

    def _check_question(self, text: str, stated_time: StatedTime, sharing: bool | None) -> TemporalQuestion | None:
        """The question as the tagger reads it, or None, with the reason counted.

        `sharing` says whether its time must share something with that of the passage, None that it may do either.
        """
        if not self._is_new(text):
            return None
        read = read_stated_times(text, implicit=True).only
        if read is None:
            self._maker.dropped["not exactly one time in the question"] += 1
            return None
        spans = [one.span for one in self._chunk.stated_times]
        # What a passage with several times answers must be said of one of them, and what it does not, of none.
        if sharing is False and any(shares_time(read.span, span) for span in spans):
            self._maker.dropped["shares time with the passage"] += 1
            return None
        if sharing and not shares_time(read.span, stated_time.span):
            self._maker.dropped["shares no time with the passage"] += 1
            return None
        self._own.add(normalise_text(text))
        anchor = stated_time.text if len(spans) > 1 else ""
        type = IMPLICIT if read.named else EXPLICIT
        return TemporalQuestion(text, (read.text,), type, relate_spans(read.span, stated_time.span), anchor)

    def _make_untimed_question(self, frame: Frame) -> TemporalQuestion | None:
        if not self._is_new(frame.text):
            return None
        self._own.add(normalise_text(frame.text))
        return TemporalQuestion(frame.text, (), TEMPORAL_ANSWER, EMPTY)

    def _is_new(self, text: str) -> bool:
        key = normalise_text(text)
        if key in self._asked or key in self._own:
            self._maker.dropped["question repeated"] += 1
            return False
        return True


def _find_verb(frames: Sequence[Frame]) -> str:
    return next((frame.verb for frame in frames if frame.verb), "")


def _sample_window(windows: Sequence[ChunkWindow], stated_time: StatedTime, chance: random.Random) -> ChunkWindow:
    grain = min(stated_time.span.grain, stated_time.span.end_grain)
    return chance.choices(windows, [window.weight(grain) for window in windows])[0]
