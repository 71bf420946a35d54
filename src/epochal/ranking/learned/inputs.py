"""Inputs: a pool as the network sees it, the same in training and in search."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError
from epochal.index.backend import Rows
from epochal.ranking.learned.gap_codes import UNIT_DAYS, base3_codes, log_codes, repeat_codes
from epochal.ranking.learned.gaps import Gaps
from epochal.ranking.learned.settings import Re3Settings
from epochal.ranking.learned.standing import STANDING, standing_of
from epochal.ranking.pool import Floats, share_of_best

__all__ = ["Differences", "Inputs", "code_width", "inputs_of", "question_width", "unit_of"]

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """For the encoding "difference": vectors of the times in words, those of the candidates less that of the question.

    Lines of candidates, or of questions, that have no such time are zeros.

    >>> Differences(np.zeros((1, 4), np.float32), np.zeros((1, 4), np.float32)).rel.shape
    (1, 4)
    """

    rel: Matrix
    rec: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What the network is given for one question and its candidates.

    `question` has the vector of the question and what is known of the pool as a whole: the share of its candidates
    without `rel`, and without `rec`. `codes` are the encoded gaps side by side, zeros where `unknown`.

    >>> Inputs.__slots__
    ('question', 'vectors', 'semantic', 'lexical', 'rel', 'rec', 'unknown', 'standing')
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

    def at(self, places: npt.NDArray[np.int64]) -> Inputs:
        """Those of the candidates at some places; what is known of the pool stays.

        >>> Inputs.at.__name__
        'at'
        """
        return Inputs(
            self.question,
            *(getattr(self, field.name)[places] for field in fields(self) if field.name != "question"),
        )


def code_width(settings: Re3Settings, dim: int) -> int:
    """How many numbers the encoding of a gap has, for vectors of texts with `dim`.

    >>> code_width(Re3Settings.parity(), 384), code_width(Re3Settings.improved(), 384)
    (64, 67)
    """
    waves = dim if settings.encoding == "difference" else settings.width
    return waves + (2 if settings.encoding == "log" else 0) + (1 if settings.overlap else 0)


def question_width(dim: int) -> int:
    """How many numbers stand for a question: its vector, and two shares of unknown gaps.

    >>> question_width(384)
    386
    """
    return dim + 2


def unit_of(settings: Re3Settings, gaps: Gaps) -> str:
    """The unit that gaps are counted in, by the setting or by what is known.

    >>> dated = Gaps(np.zeros(1), np.ones(1), np.ones(1), True)
    >>> unit_of(Re3Settings.parity(), dated), unit_of(Re3Settings.parity(unit="months"), dated)
    ('days', 'months')
    """
    if settings.unit != "kind":
        return settings.unit
    if not gaps.asked:
        return "months"
    return "years" if np.isnan(gaps.rec).all() else "days"


def inputs_of(
    settings: Re3Settings,
    question: Matrix,
    vectors: Matrix,
    semantic: Floats,
    lexical: Floats,
    gaps: Gaps,
    differences: Differences | None = None,
    places: Rows | None = None,
) -> Inputs:
    """The inputs for a question and its candidates, or for those at some places as they stand among all.

    BM25 counts as a share of the best in the pool.

    >>> gaps = Gaps(np.array([3.0, np.nan]), np.zeros(2), np.full(2, np.nan), True)
    >>> texts = np.eye(2, dtype=np.float32)
    >>> made = inputs_of(Re3Settings.parity(), texts[0], texts, np.array([1.0, 0.0]), np.zeros(2), gaps)
    >>> made.rel.shape, made.unknown.tolist()
    ((2, 64), [[0.0, 1.0], [1.0, 1.0]])
    """
    if settings.encoding == "difference" and differences is None:
        raise EpochalError(
            "the encoding 'difference' needs the vectors of times in words; accepted: a scorer with the encoder of "
            "the index, or pools that were collected with them"
        )
    unknown = gaps.unknown
    shares = unknown.mean(axis=0) if len(unknown) else np.ones(2)
    words = share_of_best(lexical)
    unit = unit_of(settings, gaps)
    standing = standing_of(gaps, vectors, semantic, words, places) if settings.standing else None
    if places is not None:
        gaps, unknown, vectors = gaps.at(places), unknown[places], vectors[places]
        semantic, words = semantic[places], words[places]
        differences = None if differences is None else Differences(differences.rel[places], differences.rec[places])
    rel = _codes(settings, unit, gaps.rel, None if differences is None else differences.rel)
    rec = _codes(settings, unit, gaps.rec, None if differences is None else differences.rec)
    if settings.overlap:
        rel = np.column_stack([rel, gaps.overlap.astype(np.float32)])
        rec = np.column_stack([rec, np.zeros(len(rec), np.float32)])
    if settings.missing:
        rel[unknown[:, 0]], rec[unknown[:, 1]] = 0.0, 0.0
    count = len(semantic)
    return Inputs(
        question=np.concatenate([question, shares]).astype(np.float32),
        vectors=np.asarray(vectors, dtype=np.float32),
        semantic=semantic.astype(np.float32),
        lexical=words.astype(np.float32),
        rel=rel,
        rec=rec,
        unknown=unknown.astype(np.float32) if settings.missing else np.zeros((count, 2), np.float32),
        standing=np.zeros((count, len(STANDING)), np.float32) if standing is None else standing.astype(np.float32),
    )


def _codes(settings: Re3Settings, unit: str, days: Floats, differences: Matrix | None) -> Matrix:
    """The encoded gaps; one that is not known counts as 0."""
    if settings.encoding == "difference" and differences is not None:
        return np.array(differences, dtype=np.float32)
    known = np.nan_to_num(days, nan=0.0)
    if not settings.signed:
        known = np.abs(known)
    if settings.encoding == "log":
        return log_codes(known, settings.width)
    make = base3_codes if settings.encoding == "base3" else repeat_codes
    return make(known / UNIT_DAYS[unit], settings.width)
