"""TMRL: temporal Matryoshka adaptation of sentence encoders, and the methods that it is compared with.

settings      the method and its choices; needs no torch
rows          training rows: a passage, questions that it answers and such that it does not; needs no torch
spans         where texts state times, in characters and in tokens; needs no torch
lora          low-rank matrices beside all linear layers
matryoshka    the contrast at every prefix (equations 3 to 5)
temporal      the projector of tokens that state a time, and the temporal contrast (6 to 10)
structure     neighbours and geometry of prefixes kept (11 to 14)
losses        all of a method's loss (15)
network       a backbone with what a method puts beside it
adaptor, router, two_encoders, merging   M-Adaptor, Ts-Retriever with its router, TempRetriever, TSM and merged adapters
methods       a network for each method
texts, batches, task   rows as tokens, as batches, and as a task of the trainer
encoding, evaluate     texts to vectors, and how well they and their prefixes find documents
adapter, bundled       adapters and merged models as files; the shipped MiniLM as a backbone
running       a method from rows to a trained network
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal_lab.datasets.augment.rows import TemporalRow as TemporalRow
    from epochal_lab.datasets.augment.rows import read_rows as read_rows
    from epochal_lab.models.tmrl.running import adapt as adapt
    from epochal_lab.models.tmrl.settings import TMRLSettings as TMRLSettings
    from epochal_lab.models.tmrl.task import TMRLTask as TMRLTask

__all__ = ["TMRLSettings", "TMRLTask", "TemporalRow", "adapt", "read_rows"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal_lab.datasets.augment.rows": "TemporalRow read_rows",
        "epochal_lab.models.tmrl.running": "adapt",
        "epochal_lab.models.tmrl.settings": "TMRLSettings",
        "epochal_lab.models.tmrl.task": "TMRLTask",
    },
)
