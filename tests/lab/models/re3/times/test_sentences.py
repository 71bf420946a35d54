"""Sentences of our own: the same for a seed, many forms, and labels that the rules agree with."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, InputError
from epochal.reading import tag
from epochal_lab.datasets.re2bench import hyb, rel
from epochal_lab.models.re3.times import sentences as templates
from epochal_lab.models.re3.times.labels import NONE, Label, LabelledSentence, read_rows, split_rows, write_rows
from epochal_lab.models.re3.times.sentences import (
    BARE,
    DATED,
    DAY_ONLY,
    KINDS,
    SLOTS,
    UNDATED,
    WITH_YEAR_APART,
    draw_label,
    find_label,
    generate_sentences,
    get_kind,
    label_sentences,
    redate_sentences,
    write_date,
    write_date_phrase,
)

ALL = (*DATED, *BARE, *DAY_ONLY, *WITH_YEAR_APART, *UNDATED)


def agrees(row: LabelledSentence) -> bool:
    """Whether the rules find what the label says, and no other date; a year and a day apart are two expressions."""
    matches = [item.value for item in tag(row.text) if item.kind in ("DATE", "TIME")]
    expected = str(row.label)
    if row.group.startswith("apart"):
        return sorted(matches) == sorted((expected[:4], f"XXXX{expected[4:]}"))
    return matches == ([expected] if expected else [])


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


@given(st.sampled_from(KINDS), st.integers(0, 10**6))
def test_the_rules_read_every_form(kind, seed):
    rng = random.Random(seed)
    label = draw_label(kind, rng)
    text = f"They met {write_date_phrase(label, rng)}."
    assert get_kind(label) == kind
    assert [item.value for item in tag(text)] == [str(label)], text


@given(st.dates(dt.date(1600, 1, 1), dt.date(2099, 12, 31)), st.integers(0, 10**6))
def test_the_weekday_is_that_of_the_date(day, seed):
    names = {f"{day + dt.timedelta(days=off):%a}" for off in range(1, 7)}
    for label in (Label(day.year, day.month, day.day), Label(None, day.month, day.day)):
        text = write_date(label, random.Random(seed), day.year)
        assert not names & {word[:3] for word in text.replace(",", " ").split() if not word.startswith(("Mar", "Sep"))}


def test_bounds():
    rng = random.Random(0)
    assert all(draw_label("day", rng).year >= 1000 for _ in range(300))
    assert min(draw_label("year", rng).year for _ in range(300)) < 1000
    assert all(draw_label("year", rng, 1600).year >= 1600 for _ in range(300))
    with pytest.raises(EpochalError, match="'week'; accepted: year"):
        draw_label("week", rng)
    with pytest.raises(EpochalError, match="states nothing"):
        get_kind(NONE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The house was sold on 4 July 2014 for $1,200.", Label(2014, 7, 4)),
        ("It reopened in March 1998.", Label(1998, 3)),
        ("The hall opens on Monday, June 9.", Label(None, 6, 9)),
        ("Nothing of the sort was said.", NONE),
        ("It lasted for two years.", NONE),
    ],
)
def test_one_date_or_none(text, expected):
    assert find_label(text)[0] == expected


@pytest.mark.parametrize(
    "text",
    [
        "It stood from 1998 to 2003.",
        "It was popular in the 1990s.",
        "They left yesterday.",
        "It rained in the summer of 1998.",
        "The king died in 44 BC.",
        "The train left at 9:30 on 4 July 2014.",
    ],
)
def test_what_cannot_be_reported(text):
    assert find_label(text) is None


def test_sentences_come_once_and_undated_ones_keep_their_share():
    dated = [f"The bridge number {number} was built in {1900 + number}." for number in range(40)]
    plain = [f"The bridge called {name * 3} spans the river." for name in "abcdefghijklmnopqrst"]
    rows = list(label_sentences([" ".join(dated + plain), dated[0]], "a", undated=0.2))
    assert len({row.text for row in rows}) == len(rows)
    assert sum(row.label == NONE for row in rows) == 10
    assert sum(row.label != NONE for row in rows) == 40
    assert len({row.group for row in rows}) == len(rows)


def test_too_short_and_too_long_sentences_are_left_out():
    assert list(label_sentences(["In 1998.", f"{'word ' * 60}in 1998."], "a")) == []


def test_copies_have_another_date_of_the_same_kind():
    rows = [
        LabelledSentence("The hall opened on Monday, June 9, and closed soon.", Label(None, 6, 9), "a 1"),
        LabelledSentence("No date is here.", NONE, "a 2"),
    ]
    matches = list(redate_sentences(rows, copies=5, seed=3))
    assert len(matches) == 7
    assert matches == list(redate_sentences(rows, copies=5, seed=3))
    copies = matches[1:6]
    assert all(row.label.year is None and row.label.day is not None and row.group == "a 1" for row in copies)
    assert all(row.text.startswith("The hall opened on ") and row.text.endswith(" and closed soon.") for row in copies)
    assert [find_label(row.text)[0] for row in copies] == [row.label for row in copies]


def test_a_label_that_is_not_in_its_text():
    with pytest.raises(EpochalError, match="labelled 1998"):
        list(redate_sentences([LabelledSentence("No date is here.", Label(1998))]))


def test_a_share_of_one():
    with pytest.raises(EpochalError, match="below 1"):
        list(label_sentences([], "a", undated=1))


ROWS = [
    LabelledSentence("Malmö, 4 July 2014", Label(2014, 7, 4), "a 1"),
    LabelledSentence("June", Label(None, 6), "a 2"),
    LabelledSentence("None", NONE),
]


@pytest.mark.parametrize("packed", [False, True])
def test_written_and_read(tmp_path, packed):
    path = tmp_path / "rows"
    with path.open("wb") as file:
        assert write_rows(ROWS, file, packed=packed) == 3
    assert list(read_rows(path)) == ROWS
    again = io.BytesIO()
    write_rows(ROWS, again, packed=packed)
    assert again.getvalue() == path.read_bytes()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 2: the row is not JSON"),
        ("[1]", "line 2: the row is a list"),
        ('{"text": "a"}', "line 2: the row needs texts"),
        ('{"text": "a", "time": "soon"}', "line 2: the label 'soon' is no date"),
    ],
)
def test_bad_rows_are_named(tmp_path, line, problem):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{ROWS[0].to_json()}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        list(read_rows(path))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(EpochalError, match=r"cannot read the labelled sentences of .*No such file"):
        list(read_rows(tmp_path / "none.jsonl"))
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"{}" * 5000)[:-20])
    with pytest.raises(EpochalError, match="cannot read the labelled sentences"):
        list(read_rows(cut))


def test_groups_stay_together():
    rows = [
        LabelledSentence(f"In {1900 + position}.", Label(1900 + position), f"g {position % 40}")
        for position in range(200)
    ]
    train, held = split_rows(rows, 0.2)
    assert sorted(row.text for row in train + held) == sorted(row.text for row in rows)
    assert not {row.group for row in train} & {row.group for row in held}
    assert split_rows(rows, 0.2) == (train, held)
    few = split_rows(rows, 0.2, most=10)
    assert few[0] == train
    assert len(few[1]) <= 10
    assert {row.text for row in few[1]} <= {row.text for row in held}


def test_what_cannot_be_split():
    with pytest.raises(EpochalError, match="0 are left to measure on"):
        split_rows([LabelledSentence("a", NONE, "one")], 0.0001)
    with pytest.raises(EpochalError, match="the share to measure on is 1"):
        split_rows(ROWS, 1)
