"""Learned dates: when a text that states no time is from, estimated from its names and words.

months    the months of a calendar as one axis, and the functions of the year that weights are learned for
dater     the model that `epochal train ctd` wrote, run with numpy, and the date distributions that it gives
scorers   the estimates of the passages of an index, and scorers that rank by them alone or beside the default scorer
"""

from __future__ import annotations

__all__: list[str] = []
