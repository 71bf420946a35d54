"""CTD: retrieval by a contrast of text and time, as published for the Annals, and as improved here.

axis        the months of a calendar in one line
codes       fixed codes of classes and of distances
smoothing   labels and years spread over their neighbours
heads       what reads the time of a text from its vector
context     how that time goes into the vector
bias        what a distance in time adds to a score
settings    which parts a model has: the published one, its baselines, ours
model       the model, and its folder
losses      contrasts, and the loss of times read
data        records and questions with their months, from a BEIR folder
sampling    answers and hard negatives for each question
texts       texts as tokens
task        what the trainer trains
gallery     exact search in numpy
encoding    texts as vectors, and the gallery of a mode of search
protocol    which records are searched and which questions asked
measures    measures by question, and their bounds
searching   the questions of a split put to the gallery
reports     runs, judgements and figures as files
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
