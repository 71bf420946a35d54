"""Where the time expressions of a text stand: in its characters, and in its tokens. Needs no torch.

Texts as tokens, with the tokens that state a time, made once before training and put together to batches by row.

Batches of passages with questions: each passage with one question it answers and some that it does not answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from epochal.errors import EpochalError
from epochal.reading.expression import stated_ranges
from epochal.reading.tagger import tag
from epochal_lab.datasets.augment.rows import EMPTY, TEMPORAL_ANSWER, TemporalQuestion, TemporalRow
from epochal_lab.models.backbone import Backbone, Batch
from epochal_lab.models.texts import TokenizedTexts
from epochal_lab.models.tmrl.objectives import Groups
from epochal_lab.models.tmrl.settings import TMRLSettings
from epochal_lab.models.training.checkpoint import make_generator

__all__ = [
    "MAX_SPANS",
    "CharRange",
    "Examples",
    "SampledQuestions",
    "TMRLBatch",
    "TextBatch",
    "TimedTexts",
    "build_examples",
    "find_anchor",
    "find_passage_times",
    "find_question_times",
    "find_time_ranges",
    "find_token_span",
    "locate",
    "tokenize_timed",
]


#: The first character of an expression, and the one after its last.
CharRange = tuple[int, int]

#: The most tokens of one expression that are read, as published.
_MAX_TOKENS: Final = 16


def locate(text: str, expressions: Iterable[str]) -> list[CharRange]:
    """Where expressions stand in a text, in the order given, large letters or small; each where it comes first.

    An expression that is not in the text word for word has no place.
    """
    small = text.lower()
    if len(small) != len(text):  # letters whose small form is longer, as İ: their places would not be those of the text
        found = (re.search(re.escape(item), text, re.IGNORECASE) for item in expressions if item.strip())
        return [match.span() for match in found if match is not None]
    wanted = [item.lower() for item in expressions if item.strip()]
    return [(start, start + len(item)) for item in wanted if (start := small.find(item)) >= 0]


def find_time_ranges(text: str) -> list[CharRange]:
    """Where a text states times, by the tagger; a range is one place, and takes in the words that bind it."""
    return [(item.start_char, item.end_char) for item in stated_ranges(text, tag(text))]


def find_passage_times(row: TemporalRow) -> list[CharRange]:
    """Where a passage states times: what its row says, or else what the tagger finds."""
    return locate(row.passage, row.temporal) if row.temporal else find_time_ranges(row.passage)


def find_question_times(question: TemporalQuestion) -> list[CharRange]:
    """Where a question states a time: as its row says, or else what the tagger finds; one that asks for it, nowhere."""
    if question.temporal:
        return locate(question.text, question.temporal)
    if question.type == TEMPORAL_ANSWER or question.relation == EMPTY:
        return []
    return find_time_ranges(question.text)


def find_anchor(row: TemporalRow, question: TemporalQuestion, places: Sequence[CharRange]) -> int:
    """Which of a passage's places a question is about: the one its row names, and the first where it names none."""
    found = locate(row.passage, [question.anchor])
    return places.index(found[0]) if found and found[0] in places else 0


def find_token_span(
    offsets: Sequence[tuple[int, int]], place: CharRange, longest: int = _MAX_TOKENS
) -> tuple[int, int] | None:
    """The tokens of a place: the first, and the one after the last; what lies beyond the last token has none.

    `offsets` are the first character of each token and the one after its last, equal for tokens that are no text.
    """
    start, end = place
    inside = [number for number, (low, high) in enumerate(offsets) if low < high and low < end and high > start]
    return (inside[0], min(inside[-1] + 1, inside[0] + longest)) if inside else None


#: The most time expressions of one text that are read, where more than the first are.
MAX_SPANS: Final = 8

_BLOCK: Final = 2048
#: Lengths are made a multiple of this: attention is quicker then, and fewer sizes of memory are asked for.
_MULTIPLE: Final = 8
#: Fewer texts than this are no part of their own: reading them apart would cost more than their padding.
_PART: Final = 128


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Some texts: their tokens; `spans` (texts, expressions, 2), the tokens that state a time; and, for a second
    encoder, the tokens of the time expressions by themselves.
    """

    texts: Batch
    spans: Tensor
    times: Batch | None = None

    @property
    def tokens(self) -> int:
        """How many tokens there are in all."""
        return self.texts.tokens + (0 if self.times is None else self.times.tokens)

    def to(self, device: torch.device | str) -> TextBatch:
        """The same batch on a device."""
        times = None if self.times is None else self.times.to(device)
        return TextBatch(self.texts.to(device), self.spans.to(device, non_blocking=True), times)


@dataclass(frozen=True, slots=True)
class TimedTexts:
    """Texts as tokens; `spans` (texts, expressions, 2) are the tokens that state a time, -1 for none."""

    texts: TokenizedTexts
    spans: npt.NDArray[np.int32]
    times: TokenizedTexts | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def batch(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> TextBatch:
        """Some texts, padded on the right."""
        chosen = np.asarray(rows, dtype=np.int64)
        times = None if self.times is None else _pad_columns(self.times.batch(chosen), self.times.padding)
        return TextBatch(
            _pad_columns(self.texts.batch(chosen), self.texts.padding),
            torch.from_numpy(self.spans[chosen].astype(np.int64)),
            times,
        )


def tokenize_timed(
    backbone: Backbone,
    texts: Sequence[str],
    places: Sequence[Sequence[CharRange]] | None = None,
    *,
    prefix: str = "",
    max_length: int | None = None,
    spans: int = 0,
    times: bool = False,
) -> TimedTexts:
    """Texts as a backbone's tokenizer makes them, behind a prefix, cut to `max_length` tokens.

    `places` are where each text states times, in characters. The first `spans` of them are kept as tokens; with
    `times`, the expressions themselves, joined by commas, are tokens of their own.
    """
    limit = min(max_length or backbone.max_length, backbone.max_length)
    found: npt.NDArray[np.int32] = np.full((len(texts), max(1, spans), 2), -1, np.int32)
    rows: list[npt.NDArray[np.int32]] = []
    for start in range(0, len(texts), _BLOCK):
        part = [f"{prefix}{text}" for text in texts[start : start + _BLOCK]]
        made = backbone.tokenizer(part, truncation=True, max_length=limit, return_offsets_mapping=spans > 0)
        rows += [np.array(ids, np.int32) for ids in made["input_ids"]]
        if spans and places is not None:
            for number, offsets in enumerate(made["offset_mapping"], start):
                for place, (low, high) in enumerate(places[number][:spans]):
                    span = find_token_span(offsets, (low + len(prefix), high + len(prefix)))
                    if span is not None:
                        found[number, place] = span
    told = None
    if times and places is not None:
        said = [", ".join(text[low:high] for low, high in here) for text, here in zip(texts, places, strict=True)]
        told = tokenize_timed(backbone, said, max_length=limit).texts
    return TimedTexts(_together(rows, backbone.padding), found, told)


def _together(rows: Sequence[npt.NDArray[np.int32]], padding: int) -> TokenizedTexts:
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return TokenizedTexts(np.concatenate(rows) if len(rows) else np.zeros(1, np.int32), starts, padding)


def _pad_columns(batch: Batch, padding: int) -> Batch:
    """A batch with columns in a round number, in parts where its texts come longest first."""
    lengths = batch.mask.sum(dim=1).numpy()
    more = -batch.ids.shape[1] % _MULTIPLE
    ids, mask = functional.pad(batch.ids, (0, more), value=padding), functional.pad(batch.mask, (0, more))
    return Batch(ids, mask, batch.tokens, _split_by_width(lengths) if (np.diff(lengths) <= 0).all() else ())


def _split_by_width(lengths: npt.NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Runs of texts that come longest first: a new one where fewer columns do, if the one before is long enough."""
    widths = -(-lengths // _MULTIPLE) * _MULTIPLE
    found: list[tuple[int, int]] = []
    first = 0
    for after in [*(np.flatnonzero(np.diff(widths)) + 1), len(widths)]:
        if after - first >= _PART or after == len(widths):
            found.append((int(after), int(widths[first])))
            first = after
    return tuple(found)


Ints = npt.NDArray[np.int64]

#: Passages of so many batches are sorted by length together. Few, so that what meets in a batch stays a matter of
#: chance; yet with four, most of the padding is gone.
_POOL: Final = 4
_PERMUTED: Final = 1


@dataclass(frozen=True, slots=True)
class TMRLBatch:
    """A batch: passages, the questions drawn for them, and whose each question is."""

    passages: TextBatch
    questions: TextBatch
    groups: Groups

    @property
    def tokens(self) -> int:
        """How many tokens there are in all."""
        return self.passages.tokens + self.questions.tokens

    def to(self, device: torch.device | str) -> TMRLBatch:
        """The same batch on a device."""
        return TMRLBatch(self.passages.to(device), self.questions.to(device), self.groups.to(device))


@dataclass(frozen=True, slots=True)
class SampledQuestions:
    """Rows of passages and of the questions drawn for them: whose each question is, and which one each passage
    answers.
    """

    passages: Ints
    questions: Ints
    owner: Ints
    targets: Ints

    def longest_first(self, lengths: Ints) -> SampledQuestions:
        """The same with its questions in the order of their lengths."""
        order = np.argsort(-lengths[self.questions], kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return SampledQuestions(self.passages, self.questions[order], self.owner[order], place[self.targets])


@dataclass(frozen=True, slots=True)
class Examples:
    """Passages and questions as tokens. Those that passage n answers are the questions `positives[n]` to
    `positives[n + 1]`, and those that it does not answer `negatives[n]` to `negatives[n + 1]`. `anchors`, where given,
    are which time expression of its passage each of the former is about.
    """

    passages: TimedTexts
    questions: TimedTexts
    positives: Ints
    negatives: Ints
    anchors: Ints | None = None

    def __len__(self) -> int:
        return len(self.passages)

    def draw(self, rows: Ints, epoch: int, negatives: int) -> SampledQuestions:
        """The questions of some passages in an epoch: the next one that each answers, and the next that it does not.

        Both go round: after the last comes the first again. A passage that has fewer has fewer.
        """
        first = self.positives[rows]
        right = first + epoch % (self.positives[rows + 1] - first)
        begin = self.negatives[rows]
        there = self.negatives[rows + 1] - begin
        counted = np.arange(negatives)
        wrong = begin[:, None] + (epoch * negatives + counted) % np.maximum(there, 1)[:, None]
        kept = np.concatenate([np.ones((len(rows), 1), bool), counted < there[:, None]], axis=1)
        both = np.concatenate([right[:, None], wrong], axis=1)
        owner = np.repeat(np.arange(len(rows)), kept.sum(axis=1))
        targets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))[:-1]])
        return SampledQuestions(rows, both[kept], owner, targets.astype(np.int64))

    def batches(self, epoch: int, batch_size: int, negatives: int, seed: int) -> Iterator[TMRLBatch]:
        """The batches of an epoch: every passage once, passages of similar length together as far as chance allows."""
        for rows in _batch_rows(self.passages.texts.lengths, batch_size, seed, epoch):
            yield self.batch(self.draw(rows, epoch, negatives).longest_first(self.questions.texts.lengths))

    def batch(self, drawn: SampledQuestions) -> TMRLBatch:
        """What was drawn, as tensors."""
        groups = Groups(torch.from_numpy(drawn.owner), torch.from_numpy(drawn.targets))
        passages = self.passages.batch(drawn.passages)
        if self.anchors is not None:
            chosen = torch.from_numpy(self.anchors[drawn.questions[drawn.targets]])
            passages = replace(passages, spans=passages.spans[torch.arange(len(chosen)), chosen].unsqueeze(1))
        return TMRLBatch(passages, self.questions.batch(drawn.questions), groups)


def build_examples(backbone: Backbone, rows: Sequence[TemporalRow], settings: TMRLSettings, *, seed: int) -> Examples:
    """Rows as tokens. Questions that come twice in a row count once, and one that is answered is no negative.

    A row without a question that it answers is left out. Negatives are put into an order that the seed decides.
    """
    random = make_generator(seed, _PERMUTED)
    kept = [row for row in rows if row.positives]
    if not kept:
        raise EpochalError(
            f"none of {len(rows):,} rows has a question that its passage answers; accepted: one row or more"
        )
    right = [list({one.text: one for one in row.positives}.values()) for row in kept]
    wrong: list[list[TemporalQuestion]] = []
    for row, answered in zip(kept, right, strict=True):
        known = {one.text for one in answered}
        other = list({one.text: one for one in row.negatives if one.text not in known}.values())
        wrong.append([other[place] for place in random.permutation(len(other))])
    questions = [one for part in (*right, *wrong) for one in part]
    times, spans = settings.has_two_encoders, 0
    if settings.needs_spans:
        spans = 1 if settings.spans == "first" else MAX_SPANS
    where = [find_passage_times(row) for row in kept] if times or spans else None
    anchors = None
    if where is not None and settings.needs_spans and settings.spans == "anchored":
        about = (
            min(find_anchor(row, one, here), MAX_SPANS - 1)
            for row, answered, here in zip(kept, right, where, strict=True)
            for one in answered
        )
        anchors = np.fromiter(about, np.int64)
    answered_count = sum(map(len, right))
    return Examples(
        tokenize_timed(
            backbone,
            [row.passage for row in kept],
            where,
            prefix=settings.passage_prefix,
            max_length=settings.max_length,
            spans=spans,
            times=times,
        ),
        tokenize_timed(
            backbone,
            [one.text for one in questions],
            [find_question_times(one) for one in questions] if where is not None else None,
            prefix=settings.question_prefix,
            max_length=settings.max_length,
            spans=spans,
            times=times,
        ),
        _build_offsets(right, 0),
        _build_offsets(wrong, answered_count),
        anchors,
    )


def _build_offsets(parts: Sequence[Sequence[object]], first: int) -> Ints:
    return first + np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def _batch_rows(lengths: Ints, batch_size: int, seed: int, epoch: int) -> Iterator[Ints]:
    random = make_generator(seed, epoch)
    order = random.permutation(len(lengths))
    batches = []
    for start in range(0, len(order), _POOL * batch_size):
        pool = order[start : start + _POOL * batch_size]
        pool = pool[np.argsort(-lengths[pool], kind="stable")]
        batches += [pool[first : first + batch_size] for first in range(0, len(pool), batch_size)]
    for place in random.permutation(len(batches)):
        yield batches[place]
