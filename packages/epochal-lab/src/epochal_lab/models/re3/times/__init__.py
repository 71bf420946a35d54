"""Re3's time reader: an encoder with a linear head for each part of a date.

  labels     the date that a text states, as classes and as a span; decoding, accuracy, labelled sentences in files
  sentences  labelled sentences: generated from templates, and of real texts labelled by `epochal.reading`
  model      the model, its loss, its folder and its training task

`labels` and `sentences` need no torch.
"""

from __future__ import annotations

__all__: list[str] = []
