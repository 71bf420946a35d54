"""CTD: contrastive retrieval by text and time, as published for the Annals (ChunQiuTR), and an improved model.

settings   the parts of a model: published, baselines, improved; needs no torch
data       records and questions with their months, the protocol's modes, and sampled batches
heads      predict the time of a text from its vector
context    put that time into the vector; bias by distance in time
model      the model, its losses and its folder
task       what the trainer trains
searching  exact search, evaluation and result files
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.ranking.dating.months import MonthAxis as MonthAxis
    from epochal_lab.models.ctd.data import read_collection as read_collection
    from epochal_lab.models.ctd.model import CTD as CTD
    from epochal_lab.models.ctd.searching import Gallery as Gallery
    from epochal_lab.models.ctd.settings import CTDSettings as CTDSettings
    from epochal_lab.models.ctd.task import CTDTask as CTDTask

__all__ = ["CTD", "CTDSettings", "CTDTask", "Gallery", "MonthAxis", "read_collection"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.ranking.dating.months": "MonthAxis",
        "epochal_lab.models.ctd.data": "read_collection",
        "epochal_lab.models.ctd.model": "CTD",
        "epochal_lab.models.ctd.searching": "Gallery",
        "epochal_lab.models.ctd.settings": "CTDSettings",
        "epochal_lab.models.ctd.task": "CTDTask",
    },
)
