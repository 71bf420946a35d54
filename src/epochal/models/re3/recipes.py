"""How the two named models of Re3 are trained. Needs no torch, so that a command can show it."""

from __future__ import annotations

from typing import Final

from epochal.models.training.settings import TrainSettings

__all__ = ["DROPOUT", "IMPROVED", "PARITY"]

#: The paper's model, which tells nothing of its training: what is usual for a small network on a frozen encoder.
PARITY: Final = TrainSettings(
    epochs=10, batch_size=64, rate=1e-3, decay=0.01, metric="hit@1", lower_is_better=False, patience=4
)
#: The recommended model.
IMPROVED: Final = TrainSettings(
    epochs=12, batch_size=32, rate=4e-3, decay=0.01, metric="hit@1", lower_is_better=False, patience=4
)
#: The share of questions that the recommended model sees with some of their timestamps taken away.
DROPOUT: Final = 0.5
