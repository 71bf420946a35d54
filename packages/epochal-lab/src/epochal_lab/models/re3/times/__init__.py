"""Re3's reading of times: an encoder with one linear head for each part of a date.

    label       the date that a text states, as classes of the heads and back, and as a span
    rows        labelled sentences as JSON lines
    forms       how dates are written
    templates   sentences of our own with a date, without one, and with numbers that are none
    labelling   sentences of real texts, labelled by the rules of `epochal.reading`
    decoding    scores of the heads to a date that exists
    losses      the joint loss of the heads
    model       the encoder with its heads, and its folder
    task        what the trainer needs
    extract     texts to spans with a trained model
    measures    how often the parts of a date are right

`label` to `decoding` and `measures` need numpy only.
"""

from __future__ import annotations

__all__: list[str] = []
