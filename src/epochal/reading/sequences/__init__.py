"""Texts that follow one another, annals and diaries: what one leaves out is carried over from those before."""

from epochal.reading.sequences.annals import AnnalsTagger
from epochal.reading.sequences.carry import Carried, Carrier, carrier, read_sequence

__all__ = ["AnnalsTagger", "Carried", "Carrier", "carrier", "read_sequence"]
