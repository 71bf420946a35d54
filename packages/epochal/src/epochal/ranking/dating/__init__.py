"""Learned reading of time: when a text that states no time is from, by the names and words that it has.

axis      the months of a calendar in one line
runs      runs of one to three characters as numbers
basis     functions of the year that weights are learned for
beliefs   what is believed of the times of texts, and how likely a window is by that
dater     the model of a folder that `epochal train ctd` wrote, run with numpy alone
readings  the beliefs of the passages of an index, read once
scorers   ranking by them alone, and as a part of the gate
"""

from __future__ import annotations

__all__: list[str] = []
