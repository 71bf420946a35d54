"""Augmentation: passages to training rows, with questions that they answer and questions that they do not.

    moments      what a text says of time, as the label of a pair is taken from
    splitting    passages to chunks of one time expression
    windows      times around a time, one for each of Allen's relations, in words
    anchors      the same with named events instead of dates
    verbs        past forms of English verbs and back
    clauses      a sentence to its subject and predicate, without its time
    frames       a chunk to questions with a gap for the time
    templates    frames and windows to rows: no language model, every label read back from the question itself
    facts        dated facts of TimeQA to rows, as the first training set of TNP was made
    prompts      what a language model is asked for a chunk
    generate     rows by a language model
    validation   what a row must be, whoever made it; every drop has a reason
    statistics   counts as tables
    sources      where passages come from

A row is `epochal_lab.datasets.augment.rows.TemporalRow`. English only.
"""

from __future__ import annotations

__all__: list[str] = []
