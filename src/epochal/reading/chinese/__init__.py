"""The Chinese tagger: `tagger` finds where time is spoken of, the other files know one kind of expression each."""

from epochal.reading.chinese.tagger import ChineseTagger

__all__ = ["ChineseTagger"]
