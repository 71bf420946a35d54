"""Augmentation: passages to training rows, with questions that they answer and questions that they do not.

    chunks       the times that a text states, and passages split into chunks of one time expression
    windows      times around a time, one for each of Allen's relations, in words or by named events
    clauses      a sentence to its subject and predicate, without its time
    frames       a chunk to questions with a gap for the time
    templates    rows from frames and windows: no language model, every label read back from the question
    facts        rows from dated facts of TimeQA, as the first training set of TNP was built
    generate     rows by a language model
    validation   checks of a row; every drop has a reason
    rows         rows in files, and counts of them as tables
    make         all of it in one call

A row is `epochal_lab.datasets.augment.rows.TemporalRow`. English only.
"""

from __future__ import annotations

__all__: list[str] = []
