"""Training batches of TMRL: time expressions located in characters and tokens, tokenized texts, passages with
questions.
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
from epochal_lab.models.texts import TokenizedTexts, join_rows
from epochal_lab.models.tmrl.objectives import Groups
from epochal_lab.models.tmrl.settings import TMRLSettings
from epochal_lab.models.training.checkpoint import make_generator

#: Start and end of an expression in characters.
CharRange = tuple[int, int]

#: The maximum number of tokens of an expression, as published.
_MAX_TOKENS: Final = 16

#: The maximum number of time expressions per text, if more than the first count.
MAX_SPANS: Final = 8
_BLOCK: Final = 2048
#: Lengths are padded to a multiple of this: attention is faster, and fewer sizes of memory are allocated.
_MULTIPLE: Final = 8
#: The minimum size of a part: encoding fewer texts separately would cost more than their padding.
_PART: Final = 128
Ints = npt.NDArray[np.int64]
#: Passages of so many batches are sorted by length together. Few, so that batches stay random; four already remove most
#: of the padding.
_POOL: Final = 4
_PERMUTED: Final = 1


def locate(text: str, expressions: Iterable[str]) -> list[CharRange]:
    """Return the character ranges of expressions in a text, in the order given, ignoring case; the first occurrence of
    each.

    An expression that does not occur literally has no range.
    """
    small = text.lower()
    if len(small) != len(text):  # letters whose lower case is longer, as İ: offsets would differ
        matches = (re.search(re.escape(item), text, re.IGNORECASE) for item in expressions if item.strip())
        return [match.span() for match in matches if match is not None]
    targets = [item.lower() for item in expressions if item.strip()]
    return [(start, start + len(item)) for item in targets if (start := small.find(item)) >= 0]


def find_time_ranges(text: str) -> list[CharRange]:
    """Return where a text states times, by the tagger; "from ... to ..." is one expression."""
    return [(item.start_char, item.end_char) for item in stated_ranges(text, tag(text))]


def find_passage_times(row: TemporalRow) -> list[CharRange]:
    """Return where a passage states times: by its row, or else by the tagger."""
    return locate(row.passage, row.temporal) if row.temporal else find_time_ranges(row.passage)


def find_question_times(question: TemporalQuestion) -> list[CharRange]:
    """Return where a question states times: by its row, or else by the tagger; none if it asks for a time."""
    if question.temporal:
        return locate(question.text, question.temporal)
    if question.type == TEMPORAL_ANSWER or question.relation == EMPTY:
        return []
    return find_time_ranges(question.text)


def find_anchor(row: TemporalRow, question: TemporalQuestion, ranges: Sequence[CharRange]) -> int:
    """Return the index of the passage's time that a question is about: the one its row names, else the first."""
    located = locate(row.passage, [question.anchor])
    return ranges.index(located[0]) if located and located[0] in ranges else 0


def find_token_span(
    offsets: Sequence[tuple[int, int]], char_range: CharRange, longest: int = _MAX_TOKENS
) -> tuple[int, int] | None:
    """Return the first token of a character range and the one after its last; None beyond the last token.

    `offsets` are the character ranges of the tokens, empty for special tokens.
    """
    start, end = char_range
    inside = [number for number, (low, high) in enumerate(offsets) if low < high and low < end and high > start]
    return (inside[0], min(inside[-1] + 1, inside[0] + longest)) if inside else None


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Tokenized texts; `spans` (texts, expressions, 2), the tokens that state a time; and, for a second encoder, the
    tokenized time expressions.
    """

    texts: Batch
    spans: Tensor
    times: Batch | None = None

    @property
    def tokens(self) -> int:
        """The total number of tokens."""
        return self.texts.tokens + (0 if self.times is None else self.times.tokens)

    def to(self, device: torch.device | str) -> TextBatch:
        times = None if self.times is None else self.times.to(device)
        return TextBatch(self.texts.to(device), self.spans.to(device, non_blocking=True), times)


@dataclass(frozen=True, slots=True)
class TimedTexts:
    """Tokenized texts; `spans` (texts, expressions, 2) are the tokens that state a time, -1 for none."""

    texts: TokenizedTexts
    spans: npt.NDArray[np.int32]
    times: TokenizedTexts | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def batch(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> TextBatch:
        """Return some texts, padded on the right."""
        selected = np.asarray(rows, dtype=np.int64)
        times = None if self.times is None else _pad_columns(self.times.batch(selected), self.times.padding)
        return TextBatch(
            _pad_columns(self.texts.batch(selected), self.texts.padding),
            torch.from_numpy(self.spans[selected].astype(np.int64)),
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
    """Tokenize texts after a prefix, truncated to `max_length` tokens.

    `places` are the character ranges of the times of each text. The first `spans` of them are kept as token spans; with
    `times`, the expressions themselves, joined by commas, are tokenized too.
    """
    limit = min(max_length or backbone.max_length, backbone.max_length)
    token_spans: npt.NDArray[np.int32] = np.full((len(texts), max(1, spans), 2), -1, np.int32)
    rows: list[npt.NDArray[np.int32]] = []
    for start in range(0, len(texts), _BLOCK):
        part = [f"{prefix}{text}" for text in texts[start : start + _BLOCK]]
        tokenized = backbone.tokenizer(part, truncation=True, max_length=limit, return_offsets_mapping=spans > 0)
        rows += [np.array(ids, np.int32) for ids in tokenized["input_ids"]]
        if spans and places is not None:
            for row, offsets in enumerate(tokenized["offset_mapping"], start):
                for index, (low, high) in enumerate(places[row][:spans]):
                    span = find_token_span(offsets, (low + len(prefix), high + len(prefix)))
                    if span is not None:
                        token_spans[row, index] = span
    time_texts = None
    if times and places is not None:
        expressions = [
            ", ".join(text[low:high] for low, high in here) for text, here in zip(texts, places, strict=True)
        ]
        time_texts = tokenize_timed(backbone, expressions, max_length=limit).texts
    return TimedTexts(join_rows(rows, backbone.padding), token_spans, time_texts)


def _pad_columns(batch: Batch, padding: int) -> Batch:
    """Pad a batch to a round number of columns, and split it into parts if its texts come longest first."""
    lengths = batch.mask.sum(dim=1).numpy()
    more = -batch.ids.shape[1] % _MULTIPLE
    ids, mask = functional.pad(batch.ids, (0, more), value=padding), functional.pad(batch.mask, (0, more))
    return Batch(ids, mask, batch.tokens, _split_by_width(lengths) if (np.diff(lengths) <= 0).all() else ())


def _split_by_width(lengths: npt.NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Split texts that come longest first into parts: a new one where fewer columns suffice, if the last is large
    enough.
    """
    widths = -(-lengths // _MULTIPLE) * _MULTIPLE
    parts: list[tuple[int, int]] = []
    first = 0
    for after in [*(np.flatnonzero(np.diff(widths)) + 1), len(widths)]:
        if after - first >= _PART or after == len(widths):
            parts.append((int(after), int(widths[first])))
            first = after
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class TMRLBatch:
    """A batch: passages, their sampled questions, and which passage each question belongs to."""

    passages: TextBatch
    questions: TextBatch
    groups: Groups

    @property
    def tokens(self) -> int:
        """The total number of tokens."""
        return self.passages.tokens + self.questions.tokens

    def to(self, device: torch.device | str) -> TMRLBatch:
        return TMRLBatch(self.passages.to(device), self.questions.to(device), self.groups.to(device))


@dataclass(frozen=True, slots=True)
class SampledQuestions:
    """Rows of passages and of their sampled questions: the passage of each question, and the question that each passage
    answers.
    """

    passages: Ints
    questions: Ints
    owner: Ints
    targets: Ints

    def sort_by_length(self, lengths: Ints) -> SampledQuestions:
        """Return the same with the longest questions first."""
        order = np.argsort(-lengths[self.questions], kind="stable")
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        return SampledQuestions(self.passages, self.questions[order], self.owner[order], position[self.targets])


@dataclass(frozen=True, slots=True)
class Examples:
    """Tokenized passages and questions. Passage n answers the questions from `positives[n]` to `positives[n + 1]`, and
    does not answer those from `negatives[n]` to `negatives[n + 1]`. `anchors`, if given, are the indices of the time
    expression of its passage that each of the former is about.
    """

    passages: TimedTexts
    questions: TimedTexts
    positives: Ints
    negatives: Ints
    anchors: Ints | None = None

    def __len__(self) -> int:
        return len(self.passages)

    def draw(self, rows: Ints, epoch: int, negatives: int) -> SampledQuestions:
        """Return the questions of some passages in an epoch: the next answered one, and the next negatives.

        Both start again after the last. A passage may have fewer negatives than wanted.
        """
        first = self.positives[rows]
        right = first + epoch % (self.positives[rows + 1] - first)
        begin = self.negatives[rows]
        there = self.negatives[rows + 1] - begin
        counted = np.arange(negatives)
        wrong = begin[:, None] + (epoch * negatives + counted) % np.maximum(there, 1)[:, None]
        present = np.concatenate([np.ones((len(rows), 1), bool), counted < there[:, None]], axis=1)
        both = np.concatenate([right[:, None], wrong], axis=1)
        owner = np.repeat(np.arange(len(rows)), present.sum(axis=1))
        targets = np.concatenate([[0], np.cumsum(present.sum(axis=1))[:-1]])
        return SampledQuestions(rows, both[present], owner, targets.astype(np.int64))

    def batches(self, epoch: int, batch_size: int, negatives: int, seed: int) -> Iterator[TMRLBatch]:
        """Yield the batches of an epoch: every passage once, those of similar length together within random pools."""
        for rows in _iterate_batch_rows(self.passages.texts.lengths, batch_size, seed, epoch):
            yield self.batch(self.draw(rows, epoch, negatives).sort_by_length(self.questions.texts.lengths))

    def batch(self, sampled: SampledQuestions) -> TMRLBatch:
        """Convert sampled rows to tensors."""
        groups = Groups(torch.from_numpy(sampled.owner), torch.from_numpy(sampled.targets))
        passages = self.passages.batch(sampled.passages)
        if self.anchors is not None:
            anchors = torch.from_numpy(self.anchors[sampled.questions[sampled.targets]])
            passages = replace(passages, spans=passages.spans[torch.arange(len(anchors)), anchors].unsqueeze(1))
        return TMRLBatch(passages, self.questions.batch(sampled.questions), groups)


def build_examples(backbone: Backbone, rows: Sequence[TemporalRow], settings: TMRLSettings, *, seed: int) -> Examples:
    """Tokenize rows. Duplicate questions of a row count once, and an answered one is no negative.

    Rows without an answered question are left out. The order of negatives depends on the seed.
    """
    random = make_generator(seed, _PERMUTED)
    answered_rows = [row for row in rows if row.positives]
    if not answered_rows:
        raise EpochalError(
            f"none of {len(rows):,} rows has a question that its passage answers; accepted: one row or more"
        )
    right = [list({one.text: one for one in row.positives}.values()) for row in answered_rows]
    wrong: list[list[TemporalQuestion]] = []
    for row, answered in zip(answered_rows, right, strict=True):
        texts = {one.text for one in answered}
        other = list({one.text: one for one in row.negatives if one.text not in texts}.values())
        wrong.append([other[index] for index in random.permutation(len(other))])
    questions = [one for part in (*right, *wrong) for one in part]
    times, spans = settings.has_two_encoders, 0
    if settings.needs_spans:
        spans = 1 if settings.spans == "first" else MAX_SPANS
    ranges = [find_passage_times(row) for row in answered_rows] if times or spans else None
    anchors = None
    if ranges is not None and settings.needs_spans and settings.spans == "anchored":
        about = (
            min(find_anchor(row, one, here), MAX_SPANS - 1)
            for row, answered, here in zip(answered_rows, right, ranges, strict=True)
            for one in answered
        )
        anchors = np.fromiter(about, np.int64)
    answered_count = sum(map(len, right))
    return Examples(
        tokenize_timed(
            backbone,
            [row.passage for row in answered_rows],
            ranges,
            prefix=settings.passage_prefix,
            max_length=settings.max_length,
            spans=spans,
            times=times,
        ),
        tokenize_timed(
            backbone,
            [one.text for one in questions],
            [find_question_times(one) for one in questions] if ranges is not None else None,
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


def _iterate_batch_rows(lengths: Ints, batch_size: int, seed: int, epoch: int) -> Iterator[Ints]:
    random = make_generator(seed, epoch)
    order = random.permutation(len(lengths))
    batches = []
    for start in range(0, len(order), _POOL * batch_size):
        pool = order[start : start + _POOL * batch_size]
        pool = pool[np.argsort(-lengths[pool], kind="stable")]
        batches += [pool[first : first + batch_size] for first in range(0, len(pool), batch_size)]
    for index in random.permutation(len(batches)):
        yield batches[index]
