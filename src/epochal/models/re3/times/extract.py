"""Texts to spans with a trained model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from epochal.errors import EpochalError
from epochal.models.re3.times.decoding import decoded
from epochal.models.re3.times.label import Label
from epochal.models.re3.times.model import TimeReader
from epochal.times.span import Span

__all__ = ["TimeExtractor"]


class TimeExtractor:
    """Reads the one date that a text states.

    >>> from epochal.models.backbone import Backbone
    >>> extractor = TimeExtractor(TimeReader(Backbone.tiny(["in", "1998"])))
    >>> len(extractor.labels(["in 1998", "in"]))
    2
    """

    def __init__(self, reader: TimeReader, batch_size: int = 256) -> None:
        if batch_size < 1:
            raise EpochalError(f"the size of batches is {batch_size}; accepted: 1 or more")
        self.reader = reader
        self.batch_size = batch_size

    @classmethod
    def load(cls, folder: Path | str, device: str = "cpu") -> TimeExtractor:
        """The model of a folder, on a device.

        >>> TimeExtractor.load("no/such/folder")
        Traceback (most recent call last):
        ...
        epochal.errors.InputError: no/such/folder/config.json: cannot be read: No such file or directory
        """
        return cls(TimeReader.load(Path(folder)).to(device))

    def labels(self, texts: Sequence[str]) -> list[Label]:
        """What each text states.

        >>> from epochal.models.backbone import Backbone
        >>> TimeExtractor(TimeReader(Backbone.tiny(["in"]))).labels([])
        []
        """
        scores = self.reader.scores(self.reader.encoded(texts), self.batch_size)
        return decoded(scores, absent=self.reader.absent)

    def spans(self, texts: Sequence[str], references: Sequence[Span | None] | None = None) -> list[Span | None]:
        """The year, month or day of each text; None where it states none.

        A date without a year is that of the year nearest to the text's reference, and None without one.

        >>> from epochal.models.backbone import Backbone
        >>> TimeExtractor(TimeReader(Backbone.tiny(["in"]))).spans(["in"], [])
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: there are 1 texts and 0 references; accepted: one (or None) for each text
        """
        present = [None] * len(texts) if references is None else list(references)
        if len(present) != len(texts):
            raise EpochalError(
                f"there are {len(texts)} texts and {len(present)} references; accepted: one (or None) for each text"
            )
        return [label.span(now) for label, now in zip(self.labels(texts), present, strict=True)]
