"""The axis of months that models are trained on, which is the one that their reading of time is searched by."""

from __future__ import annotations

from epochal.ranking.dating.axis import MONTHS, Levels, MonthAxis, Months

__all__ = ["MONTHS", "Levels", "MonthAxis", "Months"]
