"""A made world of a few teams and years for the tests of TMRL: passages that state a year, and questions of years."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from epochal_lab.datasets.augment.rows import TemporalQuestion, TemporalRow
from epochal_lab.models.tmrl.settings import TMRLSettings

if TYPE_CHECKING:
    from epochal_lab.models.backbone import Backbone

TEAMS = ("leeds", "derby", "luton")
YEARS = ("1998", "2001", "2004", "2007")
#: Words that mean the same as a team or a year, and share no letter with it.
OTHERS = dict(zip((*TEAMS, *YEARS), "whites rams hatters third sixth ninth twelfth".split(), strict=True))
VOCAB = (*TEAMS, *YEARS, *OTHERS.values(), *"ann played for in who when did play the club of town , . ?".split())


def make_rows() -> list[TemporalRow]:
    """A row for each team and year."""
    rows = []
    for team in TEAMS:
        for place, year in enumerate(YEARS):
            other = YEARS[(place + 1) % len(YEARS)]
            rows.append(
                TemporalRow(
                    f"{team}-{year}",
                    f"ann played for {team} in {year} .",
                    (year,),
                    (
                        TemporalQuestion(f"who played for {team} in {year} ?", (year,), "Explicit", "Equals"),
                        TemporalQuestion(f"when did ann play for {team} ?", (), "TemporalAnswer", "Empty"),
                    ),
                    (
                        TemporalQuestion(f"who played for {team} in {other} ?", (other,), "Explicit", "After"),
                        TemporalQuestion(f"when did the club of {other} play ?", (other,), "Explicit", "After"),
                    ),
                )
            )
    return rows


def reworded(row: TemporalRow) -> TemporalRow:
    """A row whose passage shares no team and no year with its questions, and only the question that states a year."""
    words = [OTHERS.get(word, word) for word in row.passage.split()]
    return replace(
        row, passage=" ".join(words), temporal=tuple(OTHERS[word] for word in row.temporal), positives=row.positives[:1]
    )


def small(method: str = "tmrl", **changes: Any) -> TMRLSettings:
    """The settings of a method for vectors of 16 numbers."""
    return replace(TMRLSettings.from_name(method), **{"dims": (4, 8), "temporal_dims": 4, "top_k": 2, **changes})


def tiny(pooling: str = "mean", seed: int = 3) -> Backbone:
    """A backbone that knows the words of that world, and nothing of them."""
    from epochal_lab.models.backbone import Backbone
    from epochal_lab.models.training.checkpoint import seed_all

    seed_all(seed)
    return Backbone.tiny(VOCAB, layers=1, width=16, pooling=pooling)
