"""TMRL: temporal Matryoshka adaptation of sentence encoders, and the methods that it is compared with.

settings    the method and its options; needs no torch
adapter     LoRA, merged models, adapters as files
objectives  the losses of TMRL (equations 3 to 14)
batches     time expressions in texts, texts as tokens, batches
network     a network for each method: TMRL, M-Adaptor, Ts-Retriever, TempRetriever
task        the loss of a method (15), and its task for the trainer
evaluate    texts to vectors, and retrieval measures of prefixes
running     from rows to a trained network; the bundled MiniLM as a backbone
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
