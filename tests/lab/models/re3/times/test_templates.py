"""Sentences of our own: the same for a seed, many forms, and labels that the rules agree with."""

from __future__ import annotations

from collections import Counter

import pytest

from epochal.errors import EpochalError
from epochal.reading import tag
from epochal_lab.datasets.re2bench import hyb, rel
from epochal_lab.models.re3.times import sentences as templates
from epochal_lab.models.re3.times.labels import NONE, LabelledSentence
from epochal_lab.models.re3.times.sentences import (
    BARE,
    DATED,
    DAY_ONLY,
    KINDS,
    SLOTS,
    UNDATED,
    WITH_YEAR_APART,
    generate_sentences,
    get_kind,
)

ALL = (*DATED, *BARE, *DAY_ONLY, *WITH_YEAR_APART, *UNDATED)


def agrees(row: LabelledSentence) -> bool:
    """Whether the rules find what the label says, and no other date; a year and a day apart are two expressions."""
    found = [item.value for item in tag(row.text) if item.kind in ("DATE", "TIME")]
    wanted = str(row.label)
    if row.group.startswith("apart"):
        return sorted(found) == sorted((wanted[:4], f"XXXX{wanted[4:]}"))
    return found == ([wanted] if wanted else [])


def test_the_rules_agree_with_the_labels():
    rows = list(generate_sentences(3000, seed=11))
    wrong = [row for row in rows if not agrees(row)]
    assert len(wrong) <= 0.01 * len(rows), wrong[:10]


def test_the_check_can_fail():
    row = next(row for row in generate_sentences(50, seed=1) if row.label.year)
    assert agrees(row)
    assert not agrees(LabelledSentence(row.text, NONE, row.group))


def test_there_are_many_of_all_kinds():
    assert len(set(ALL)) == len(ALL) >= 60
    rows = list(generate_sentences(2000, seed=3))
    kinds = Counter("none" if row.label == NONE else get_kind(row.label) for row in rows)
    assert set(kinds) == {*KINDS, "none"}
    assert min(kinds.values()) > 20
    assert len({row.text for row in rows}) > 1950
    assert len({row.group for row in rows}) == len(ALL)


def test_the_same_seed_gives_the_same_sentences():
    assert list(generate_sentences(50, seed=4)) == list(generate_sentences(50, seed=4))
    assert list(generate_sentences(50, seed=4)) != list(generate_sentences(50, seed=5))
    # What comes first does not depend on how many are asked for.
    assert list(generate_sentences(50, seed=4))[:20] == list(generate_sentences(20, seed=4))


def test_every_slot_is_known():
    known = {*SLOTS, "when", "When", "date", "y", "md", "number"}
    for template in ALL:
        names = {part.partition("}")[0] for part in template.split("{")[1:]}
        assert names <= known, template


def test_no_template_of_a_set_that_is_measured_on():
    """Nothing but names of slots may be alike in a template here and in one that Re2Bench is built with."""

    def bare(template: str) -> str:
        parts = [part.partition("}")[2] for part in f"}}{template}".split("{")]
        return " ".join("".join(letter if letter.isalpha() else " " for letter in " ".join(parts)).lower().split())

    theirs = {bare(text) for text in (*hyb._WRITTEN, *hyb._PLAIN, *hyb._CUED, *rel._STATED)} - {""}
    assert len(theirs) > 15
    assert not theirs & {bare(text) for text in ALL}


def test_a_negative_count():
    with pytest.raises(EpochalError, match="-1 sentences"):
        list(templates.generate_sentences(-1))
