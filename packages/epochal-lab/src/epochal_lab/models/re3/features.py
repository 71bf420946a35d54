"""Inputs of the Re3 network, computed from a pool in the same way for training and for search.

Two time gaps, in days with a sign, nan if unknown:

  rel   from the query window to the nearest time that the passage mentions; 0 if they overlap, above 0 if later
  rec   from the publication of the document to the reference time: the query window if there is one, else `now`

Standing: how old a document is says little; whether a newer one says the same says much. A candidate is *followed* by
those that were published later and are at least as near to the query window. Of its followers, the most similar one and
the best match of the query count.

Times in words: the paper's encoding BGE-Diff, the difference of the vectors of two times written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import Vectors
from epochal.errors import EpochalError
from epochal.ranking.pool import Floats, Pool, Window, scale_to_best
from epochal.storage.protocol import Rows
from epochal.times.axis import OPEN_END, OPEN_START
from epochal.times.span import Span
from epochal.times.spanset import SpanSet
from epochal_lab.models.re3.encodings import UNIT_DAYS, encode_base3, encode_log, encode_repeat
from epochal_lab.models.re3.settings import Re3Settings
from epochal_lab.systems.scorer_inputs import CandidateTimes, encode_or_zero, get_published_times, measure_distances

_DAY: Final = 86_400.0
Mask = npt.NDArray[np.bool_]

#: The columns of `compute_standing`.
STANDING: Final = ("likeness", "meaning", "words", "unfollowed", "behind", "rival", "rival words")
_DAY_SCALE: Final = 16.0
#: Tolerance in days: rounding must not make one of two equal gaps the nearer.
_SAME: Final = 1e-6
Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TimeGaps:
    """For each candidate: days to the query window, the share of the two times that overlaps, and days of age.

    `timed` says whether the query has a window. `nearest` is the index of the time that `rel` is measured to, among the
    mentioned times of the pool (`get_mentioned_times`) followed by the dates of its documents; -1 for none.
    """

    rel: Floats
    overlap: Floats
    rec: Floats
    timed: bool
    nearest: Rows | None = None

    @property
    def unknown(self) -> Mask:
        """Which gaps are unknown: one row per candidate, with a column for `rel` and one for `rec`."""
        return np.column_stack([np.isnan(self.rel), np.isnan(self.rec)])

    def at(self, places: Rows) -> TimeGaps:
        """Return the gaps of some candidates."""
        nearest = None if self.nearest is None else self.nearest[places]
        return TimeGaps(self.rel[places], self.overlap[places], self.rec[places], self.timed, nearest)

    def hide(self, rel: Mask, rec: Mask) -> TimeGaps:
        """Return the gaps with some of them made unknown."""
        return replace(
            self,
            rel=np.where(rel, np.nan, self.rel),
            overlap=np.where(rel, 0.0, self.overlap),
            rec=np.where(rec, np.nan, self.rec),
        )


def compute_time_gaps(pool: Pool) -> TimeGaps:
    """Compute the gaps of the candidates of a pool."""
    count = len(pool)
    rel, overlap = np.full(count, np.nan), np.zeros(count)
    nearest = np.full(count, -1, dtype=np.int64)
    mentioned, dated = get_mentioned_times(pool), get_published_times(pool)
    for window in pool.windows:
        if window.axis == "content":
            _update_nearest(rel, overlap, nearest, window, mentioned, 0)
        else:
            _update_nearest(rel, overlap, nearest, window, dated, len(mentioned.positions))
    return TimeGaps(rel, overlap, _compute_ages(count, dated, get_reference(pool)), bool(pool.windows), nearest)


def get_reference(pool: Pool) -> Span | None:
    """Return the time that ages count from: the last query window, else `now`, else None."""
    closed = [window.span for window in pool.windows if window.span.end != OPEN_END]
    if closed:
        return max(closed, key=lambda span: span.end)
    return None if pool.now is None or pool.now.end == OPEN_END else pool.now


def get_mentioned_times(pool: Pool) -> CandidateTimes:
    """Return the times that the candidates mention."""
    table = pool.view.content
    low, high = table.rows.searchsorted(pool.rows, side="left"), table.rows.searchsorted(pool.rows, side="right")
    counts = high - low
    positions = np.repeat(np.arange(len(pool), dtype=np.int64), counts)
    within = np.arange(len(positions), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    return CandidateTimes(positions, table.spans[np.repeat(low, counts) + within])


def _update_nearest(
    rel: Floats, overlap: Floats, nearest: Rows, window: Window, times: CandidateTimes, before: int
) -> None:
    """Update the nearest times with those of one more window; ties go to the larger overlap."""
    if not len(times.positions):
        return
    days, shared = compute_signed_days(window.span, times.spans), _compute_overlap(window.span, times.spans)
    order = np.lexsort((np.arange(len(days)), -shared, np.abs(days), times.positions))
    first = order[np.unique(times.positions[order], return_index=True)[1]]
    at = times.positions[first]
    better = np.isnan(rel[at]) | (np.abs(days[first]) < np.abs(rel[at]))
    better |= (np.abs(days[first]) == np.abs(rel[at])) & (shared[first] > overlap[at])
    at, first = at[better], first[better]
    rel[at], overlap[at], nearest[at] = days[first], shared[first], first + before


def compute_signed_days(span: Span, spans: SpanSet) -> Floats:
    """Return the days from a span to each of others; below 0 for earlier ones, 0 where they overlap."""
    days = measure_distances(span, spans) / _DAY
    return np.where((spans.starts >= span.end) | (days == 0), days, -days)


def _compute_overlap(span: Span, spans: SpanSet) -> Floats:
    """Return the intersection of a span with each of others as a share of their hull; 0 for open spans."""
    common = np.minimum(spans.ends, span.end) - np.maximum(spans.starts, span.start)
    covered = np.maximum(spans.ends, span.end) - np.minimum(spans.starts, span.start)
    closed = (spans.starts != OPEN_START) & (spans.ends != OPEN_END) & (common > 0)
    closed &= span.start != OPEN_START and span.end != OPEN_END
    return np.where(closed, common / np.maximum(covered, 1), 0.0)


def _compute_ages(count: int, dated: CandidateTimes, reference: Span | None) -> Floats:
    """Return the days from the publication of each document to the end of the reference time."""
    ages = np.full(count, np.nan)
    if reference is not None and len(dated.positions):
        ends = np.where(dated.spans.ends == OPEN_END, dated.spans.starts, dated.spans.ends)
        dated_ends = ends != OPEN_START
        ages[dated.positions[dated_ends]] = (reference.end - ends[dated_ends]) / _DAY
    return ages


def compute_standing(
    gaps: TimeGaps, vectors: npt.NDArray[np.float32], semantic: Floats, lexical: Floats, places: Rows | None = None
) -> Floats:
    """Return the standing of each candidate (or of those at `places`) among its followers; columns as in `STANDING`.

    likeness: the greatest cosine with a follower, 0 without any. meaning, words: by how much the best follower scores
    above it, by cosine and by share of BM25, -1 without any. unfollowed: 1 if its date is known and nothing follows it.
    behind: log(1 + days to the newest follower) / 16. rival, rival words: the greatest cosine with a follower, less
    what the follower lacks in cosine, or BM25; -1 without any.
    """
    candidates = np.arange(len(semantic)) if places is None else places
    status = np.zeros((len(candidates), len(STANDING)))
    if not len(candidates):
        return status
    follows = _find_followers(gaps, candidates)
    followed = follows.any(axis=1)
    status[:, [1, 2, 5, 6]] = -1.0
    status[:, 3] = ~followed & ~np.isnan(gaps.rec[candidates])
    if not followed.any():
        return status
    few, own = follows[followed], candidates[followed]
    alike = vectors[own] @ vectors.T
    status[followed, 0] = np.where(few, alike, -np.inf).max(axis=1)
    for column, scores in ((1, semantic), (2, lexical)):
        ahead = scores[None, :] - scores[own, None]
        status[followed, column] = np.where(few, ahead, -np.inf).max(axis=1)
        status[followed, column + 4] = np.where(few, alike + np.minimum(ahead, 0.0), -np.inf).max(axis=1)
    newest = np.where(few, gaps.rec[None, :], np.inf).min(axis=1)
    status[followed, 4] = np.log1p(gaps.rec[own] - newest) / _DAY_SCALE
    return status


def _find_followers(gaps: TimeGaps, positions: Rows) -> npt.NDArray[np.bool_]:
    """Return a matrix with one row per place: whether the candidate of the column follows that of the row."""
    age = np.where(np.isnan(gaps.rec), np.inf, gaps.rec)
    newer = (age[None, :] < age[positions, None] - _SAME) & np.isfinite(age)[positions, None]
    # An unknown time counts as farther than all.
    far = np.where(np.isnan(gaps.rel), np.inf, np.abs(gaps.rel))
    return np.asarray(newer & (far[None, :] <= far[positions, None] + _SAME))


@dataclass(frozen=True, slots=True, eq=False)
class TimeDifferences:
    """For the encoding "difference": vectors of the candidates' times in words minus that of the query's.

    Rows of unknown times are zeros.
    """

    rel: Matrix
    rec: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class NetworkInputs:
    """The inputs for one query and its candidates.

    `question` is the query's vector followed by two shares of the pool: candidates without `rel`, and without `rec`.
    `rel` and `rec` are encoded gaps, zeros where `unknown`.
    """

    question: Matrix
    vectors: Matrix
    semantic: Matrix
    lexical: Matrix
    rel: Matrix
    rec: Matrix
    unknown: Matrix
    standing: Matrix

    def __len__(self) -> int:
        return len(self.vectors)

    def at(self, places: npt.NDArray[np.int64]) -> NetworkInputs:
        """Return the inputs of some candidates; those of the query stay."""
        return NetworkInputs(
            self.question,
            *(getattr(self, field.name)[places] for field in fields(self) if field.name != "question"),
        )


def get_code_width(settings: Re3Settings, dim: int) -> int:
    """Return the number of dimensions of an encoded gap, for text vectors with `dim`."""
    waves = dim if settings.encoding == "difference" else settings.width
    return waves + (2 if settings.encoding == "log" else 0) + (1 if settings.overlap else 0)


def get_question_width(dim: int) -> int:
    """Return the number of dimensions of a query: its vector, and two shares of unknown gaps."""
    return dim + 2


def select_unit(settings: Re3Settings, gaps: TimeGaps) -> str:
    """Return the unit of gaps, from the settings or by what is known."""
    if settings.unit != "kind":
        return settings.unit
    if not gaps.timed:
        return "months"
    return "years" if np.isnan(gaps.rec).all() else "days"


def build_inputs(
    settings: Re3Settings,
    question: Matrix,
    vectors: Matrix,
    semantic: Floats,
    lexical: Floats,
    gaps: TimeGaps,
    differences: TimeDifferences | None = None,
    places: Rows | None = None,
) -> NetworkInputs:
    """Build the inputs for a query and its candidates, or for those at `places` with their standing among all.

    BM25 counts as a share of the best in the pool.
    """
    if settings.encoding == "difference" and differences is None:
        raise EpochalError(
            "the encoding 'difference' needs the vectors of times in words; accepted: a scorer with the encoder of "
            "the index, or pools that were collected with them"
        )
    unknown = gaps.unknown
    shares = unknown.mean(axis=0) if len(unknown) else np.ones(2)
    words = scale_to_best(lexical)
    unit = select_unit(settings, gaps)
    status = compute_standing(gaps, vectors, semantic, words, places) if settings.standing else None
    if places is not None:
        gaps, unknown, vectors = gaps.at(places), unknown[places], vectors[places]
        semantic, words = semantic[places], words[places]
        differences = None if differences is None else TimeDifferences(differences.rel[places], differences.rec[places])
    rel = _encode_gaps(settings, unit, gaps.rel, None if differences is None else differences.rel)
    rec = _encode_gaps(settings, unit, gaps.rec, None if differences is None else differences.rec)
    if settings.overlap:
        rel = np.column_stack([rel, gaps.overlap.astype(np.float32)])
        rec = np.column_stack([rec, np.zeros(len(rec), np.float32)])
    if settings.missing:
        rel[unknown[:, 0]], rec[unknown[:, 1]] = 0.0, 0.0
    count = len(semantic)
    return NetworkInputs(
        question=np.concatenate([question, shares]).astype(np.float32),
        vectors=np.asarray(vectors, dtype=np.float32),
        semantic=semantic.astype(np.float32),
        lexical=words.astype(np.float32),
        rel=rel,
        rec=rec,
        unknown=unknown.astype(np.float32) if settings.missing else np.zeros((count, 2), np.float32),
        standing=np.zeros((count, len(STANDING)), np.float32) if status is None else status.astype(np.float32),
    )


def _encode_gaps(settings: Re3Settings, unit: str, days: Floats, differences: Matrix | None) -> Matrix:
    """Encode gaps; an unknown one counts as 0."""
    if settings.encoding == "difference" and differences is not None:
        return np.array(differences, dtype=np.float32)
    gaps = np.nan_to_num(days, nan=0.0)
    if not settings.signed:
        gaps = np.abs(gaps)
    if settings.encoding == "log":
        return encode_log(gaps, settings.width)
    make = encode_base3 if settings.encoding == "base3" else encode_repeat
    return make(gaps / UNIT_DAYS[unit], settings.width)


@dataclass(frozen=True, slots=True)
class TimeWords:
    """The times of a pool in words: the query's and the nearest one of each candidate, the reference and each date.

    Unknown ones are empty.
    """

    query: str
    rel: tuple[str, ...]
    reference: str
    rec: tuple[str, ...]


def describe_times(pool: Pool) -> TimeWords:
    """Describe the times of a pool in words."""
    gaps, reference = compute_time_gaps(pool), get_reference(pool)
    mentioned, dated = get_mentioned_times(pool), get_published_times(pool)
    rel, rec = [""] * len(pool), [""] * len(pool)
    for candidate, at in enumerate([] if gaps.nearest is None else gaps.nearest.tolist()):
        if at >= 0:
            here = at < len(mentioned.positions)
            rel[candidate] = (mentioned.spans[at] if here else dated.spans[at - len(mentioned.positions)]).describe()
    for candidate, at in zip(dated.positions.tolist(), range(len(dated.positions)), strict=True):
        rec[candidate] = dated.spans[at].describe()
    query = ", ".join(window.span.describe() for window in pool.windows)
    return TimeWords(query, tuple(rel), "" if reference is None else reference.describe(), tuple(rec))


def compute_differences(
    words: TimeWords,
    questions: Callable[[Sequence[str]], Vectors],
    documents: Callable[[Sequence[str]], Vectors],
    dim: int,
) -> TimeDifferences:
    """Return the vector of each candidate's time minus that of the query's; zeros where either is unknown."""
    differences = []
    for query, stated in ((words.query, words.rel), (words.reference, words.rec)):
        vectors = encode_or_zero(stated if query else [""] * len(stated), documents, dim)
        if query and any(stated):
            known = np.array([bool(text) for text in stated])
            vectors[known] -= questions([query])[0]
        differences.append(vectors.astype(np.float32))
    return TimeDifferences(*differences)
