"""Tagged dense retrieval: texts are encoded with their dates in front, and the question with its own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from epochal.encoders.base import Encoder
from epochal.errors import EpochalError
from epochal.ranking.baselines.encoding import Memory, encoder_of, passage_texts
from epochal.ranking.baselines.times import asked_spans, time_texts
from epochal.ranking.pool import Floats, Pool, Scored

__all__ = ["TaggedDense", "tagged", "tagged_similarity"]


def tagged(template: str, text: str, time: str) -> str:
    """A text with its time, or the text alone where there is none.

    >>> tagged("{time}: {text}", "Tariffs rise.", "May 1998")
    'May 1998: Tariffs rise.'
    >>> tagged("{time}: {text}", "Tariffs rise.", "")
    'Tariffs rise.'
    """
    return template.replace("{time}", time).replace("{text}", text) if time else text


def tagged_similarity(
    pool: Pool, template: str, most: int, encoder: Encoder | None, memory: Memory, scorer: str
) -> Floats:
    """The cosine of each candidate and the question, all encoded with their times.

    >>> tagged_similarity.__name__
    'tagged_similarity'
    """
    if not len(pool):
        return np.empty(0)
    known = encoder_of(pool, encoder, memory, scorer)
    asked = ", ".join(span.describe() for span in asked_spans(pool))
    question = known.encode_queries([tagged(template, pool.question, asked)])[0]
    texts = [
        tagged(template, text, time) for text, time in zip(passage_texts(pool), time_texts(pool, most), strict=True)
    ]
    return np.asarray(known.encode_documents(texts) @ question, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class TaggedDense:
    """Dhingra et al., "Time-Aware Language Models as Temporal Knowledge Bases" (2022), section 2.2: a text is
    modelled with its time in front of it ("year: 2014 text: ..."). Here the text is encoded, and nothing is trained.

    The tag of a candidate is the date of its document, else the first `most` times that it speaks of; that of the
    question is the times that it asks for, else the present. The stored vectors have no tags, so all candidates are
    encoded anew: slow the first time (a few milliseconds a passage), and exact. What is encoded is remembered while
    the scorer lives, so make one scorer and use it for all questions; or give it a `CachedEncoder`.

    >>> TaggedDense().template
    '{time}: {text}'
    """

    template: str = "{time}: {text}"
    most: int = 8
    encoder: Encoder | None = None
    name: str = "tagged-dense"
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def __post_init__(self) -> None:
        if "{time}" not in self.template or "{text}" not in self.template:
            raise EpochalError(
                f"template of scorer {self.name!r} is {self.template!r}; accepted: a text with {{time}} and {{text}}"
            )

    def score(self, pool: Pool) -> Scored:
        """The cosine of each tagged candidate and the tagged question.

        >>> TaggedDense().name
        'tagged-dense'
        """
        found = tagged_similarity(pool, self.template, self.most, self.encoder, self.memory, self.name)
        return Scored(found, {"semantic": found})
