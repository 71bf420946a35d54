"""Sentences to clauses, and verbs to their bases."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.times import Grain, Span
from epochal_lab.datasets.augment.chunks import Splitter, read_stated_times
from epochal_lab.datasets.augment.clauses import base_form, cut_out, find_clause, is_past, is_present
from epochal_lab.datasets.augment.frames import Frame, build_frames, find_names, strip_interrogative, strip_title
from epochal_lab.datasets.augment.rows import RELATIONS
from epochal_lab.datasets.augment.windows import (
    ChunkWindow,
    build_anchor_windows,
    build_windows,
    group_by_relation,
    load_anchors,
)
from epochal_lab.datasets.making.names import NameFinder


def clause(sentence: str, title: str = ""):
    (stated_time,) = read_stated_times(sentence).stated_times
    result = find_clause(sentence, stated_time.start_char, stated_time.end_char, title)
    return result and (result.subject, result.verb, result.rest)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Ann Hay joined Leeds United in May 1998.", ("Ann Hay", "joined", "Leeds United")),
        ("In 1868, the county bought the mill, which was old.", ("the county", "bought", "the mill")),
        (
            "On 25 January 1974 Hanseatic was sold to Robin International.",
            ("Hanseatic", "was", "sold to Robin International"),
        ),
        ("The mill was old, and was burnt down by a storm in 1976.", ("the mill", "was", "burnt down by a storm")),
        ("It was kept by Peter Roe, who became chief in 2002.", ("Peter Roe", "became", "chief")),
        ("Frieda Abel (born 12 June 1921) was a painter.", ("Frieda Abel", "was", "born")),
        ("Otto Abel (12 June 1921 – 3 May 1990) was a painter.", ("Otto Abel", "lived", "")),
        ("Japan pledges money for a court (11 February 2005).", ("Japan", "pledges", "money for a court")),
        ("11 February 2005: Japan pledges money for a court.", ("Japan", "pledges", "money for a court")),
        ("He played 38 games in the 1993–94 season, and won.", ("", "played", "38 games")),
        ("She left the Commons at the 2010 general election.", ("", "left", "the Commons at the general election")),
        ("Its fee rose to $1,000,000 in 2017.", None),
        ("In December 2015, it was announced that Roe would go.", None),
        ("A road along the coast built in 1796 helped the town.", None),
        ("They were married from 1923 until 1929.", None),
        ("Roe was the last of those who were elected in the vote of 1964.", None),
        ("Nothing (1998) of this.", None),
    ],
)
def test_clauses(sentence, found):
    assert clause(sentence) == found


def test_a_pronoun_represents_the_title():
    assert clause("He signed for Leeds in June 2013.", "Max Hay") == ("Max Hay", "signed", "for Leeds")
    assert clause("His father died in June 2013.", "Max Hay") == ("Max Hay's father", "died", "")


@pytest.mark.parametrize(
    ("text", "expression", "plain"),
    [
        ("She left in early May 1998, tired.", "early May 1998", "She left, tired."),
        ("In 1998, she left.", "1998", "she left."),
        ("The album of 1998 sold well.", "1998", "The album sold well."),
        ("His 1998 album sold well.", "1998", "His album sold well."),
        ("Ann Hay (born 1902) left.", "1902", "Ann Hay left."),
        ("She left, in 1998.", "1998", "She left."),
    ],
)
def test_a_time_is_taken_out_with_what_binds_it(text, expression, plain):
    start = text.index(expression)
    assert cut_out(text, start, start + len(expression))[0] == plain


@pytest.mark.parametrize(
    ("past", "base"),
    [
        *zip(
            "won wrote signed joined moved married transferred cancelled operated released described included changed "
            "arranged visited aired chaired debuted died tied agreed focused controlled called passed recruited "
            "contributed toured captured declared appeared reconciled failed avoided decided loaded invaded".split(),
            "win write sign join move marry transfer cancel operate release describe include change arrange visit air "
            "chair debut die tie agree focus control call pass recruit contribute tour capture declare appear "
            "reconcile fail avoid decide load invade".split(),
            strict=True,
        )
    ],
)
def test_past_forms(past, base):
    assert base_form(past) == base


@pytest.mark.parametrize("word", ["hundred", "need", "succeed", "team", "red", "Alfred".lower()])
def test_what_is_no_past(word):
    assert not is_past(word)
    assert base_form(word) is None


def test_presents_of_news():
    assert [base_form(word) for word in ("launches", "dies", "denies", "wins")] == ["launch", "die", "deny", "win"]
    assert not is_present("teams")


def frames(text: str, title: str = "") -> list[str]:
    (chunk,) = Splitter().chunks(text, "p", title)
    return [frame.text for frame in build_frames(chunk, NameFinder())]


@pytest.mark.parametrize(
    ("text", "title", "query"),
    [
        ("Ann Hay played for Leeds United in May 1998.", "", "Which team did Ann Hay play for {t}?"),
        ("He won the cup of Leeds in May 1998.", "Max Hay", "What did Max Hay win {t}?"),
        ("She married Bob Ray in Leeds in May 1998.", "Ann Hay", "Who did Ann Hay marry {t}?"),
        ("The mill of Malton was sold to Ann in 1998.", "", "What was sold to Ann {t}?"),
        ("The mill of Malton was sold to Ann in 1998.", "", "When was the mill of Malton sold to Ann?"),
        (
            "From 1987 to 1995 Cora Lee was the mayor of Selby.",
            "",
            "During which years was Cora Lee the mayor of Selby?",
        ),
        ("Ann Hay left the town of Selby on 4 May 1998.", "", "On what date did Ann Hay leave the town of Selby?"),
        ("The head of the firm was Ann Hay in 1998.", "", "Who was the head of the firm {t}?"),
        ("He was made to go by Bob Ray in 1998.", "", "What happened to Bob Ray {t}?"),
    ],
)
def test_what_is_asked(text, title, query):
    assert query in frames(text, title)


def test_no_frame_says_the_time_of_the_chunk():
    assert not any("1998" in text for text in frames("Ann Hay played for Leeds United in May 1998."))


def test_a_time_can_come_first():
    frame = Frame("Who won the cup {t}?")
    assert frame.fill_template("in May 1998", first=True) == "In May 1998, who won the cup?"
    assert Frame("Bob won what {t}?").fill_template("in 1998", first=True) == "Bob won what in 1998?"


def test_names_are_reported_from_other_capitals():
    finder = NameFinder()
    finder.show("The then mayor sat. Then he left. They saw the early light, and in early light left.")
    text = "Then the Prime Minister met Ann Hay in Leeds. In Early May 1998 French ships and Ann Hay left Hull."
    (chunk,) = Splitter().chunks(text, "p")
    assert find_names(chunk, finder) == ["Ann Hay", "Leeds", "Hull"]


def test_notes_of_titles_are_left_out():
    assert strip_title("Westin &amp; Sons (company)") == "Westin & Sons"


@pytest.mark.parametrize(
    "text", ["When did it end?", "In what year was it?", "Which years did it last?", "How long ago?"]
)
def test_questions_for_a_time_are_known(text):
    assert strip_interrogative(text) is not None


@pytest.mark.parametrize("text", ["Who left in 1998?", "What did Ann win?", "Whenever it was, who left?"])
def test_other_questions_ask_for_none(text):
    assert strip_interrogative(text) is None


ALL = set(RELATIONS) - {"Empty"}
SPANS = ["1998", "1998-05", "1998-05-04", "1990/1998", "199X", "1998-03/2001-07"]


@pytest.mark.parametrize("edtf", ["1998", "1990/1998", "199X", "1998-03/2001-07"])
def test_all_thirteen_relations_can_be_asked(edtf):
    span = Span.parse(edtf)
    result = {name for seed in range(4) for name in group_by_relation(build_windows(span, random.Random(seed)), span)}
    assert result == ALL


def test_a_day_has_no_part_to_ask_for():
    span = Span.day(1998, 5, 4)
    result = set(group_by_relation(build_windows(span, random.Random(1)), span))
    assert result == ALL - {"Starts", "During", "Finishes", "Overlaps", "OverlappedBy"}


@pytest.mark.parametrize("edtf", SPANS)
def test_the_words_are_read_as_what_they_should_say(edtf):
    for window in build_windows(Span.parse(edtf), random.Random(3)):
        stated_time = read_stated_times(f"Who saw Ann Hay {window.words}?").only
        assert stated_time is not None, window.words
        assert (stated_time.span.start, stated_time.span.end) == (window.span.start, window.span.end), window.words


@given(
    st.integers(1100, 2020),
    st.integers(1, 12),
    st.sampled_from([Grain.DAY, Grain.MONTH, Grain.YEAR]),
    st.integers(0, 9),
)
def test_any_unit_has_windows_beside_it(year, month, grain, seed):
    span = Span.unit(Span.day(year, month, 11).start, grain)
    result = group_by_relation(build_windows(span, random.Random(seed)), span)
    assert {"Equals", "Before", "After", "Meets", "MetBy", "Contains", "StartedBy", "FinishedBy"} <= set(result)


def test_no_window_is_in_a_future_that_nobody_asks_about():
    result = build_windows(Span.year(2024), random.Random(2))
    assert max(window.span.last_year or 0 for window in result) <= 2030


def test_open_spans_have_windows():
    span = Span.parse("1998/..")
    assert {"Before", "Equals", "During"} <= set(group_by_relation(build_windows(span, random.Random(1)), span))


def test_the_same_chance_gives_the_same_windows():
    one, two = (build_windows(Span.year(1998), random.Random(5)) for _ in range(2))
    assert one == two


def test_the_grain_of_what_is_asked_about_is_drawn_oftenest():
    year, month = ChunkWindow("in 1998", Span.year(1998), "in"), ChunkWindow("in May 1998", Span.month(1998, 5), "in")
    assert year.weight(Grain.YEAR) > month.weight(Grain.YEAR)
    assert month.weight(Grain.MONTH) > month.weight(Grain.YEAR)


# ---------------------------------------------------------------- events


def test_events_near_a_time_are_read_as_they_should_be():
    result = build_anchor_windows(Span.year(1944), random.Random(1))
    assert len(result) > 20
    for window in result:
        stated_time = read_stated_times(f"Who saw Ann Hay {window.words}?", implicit=True).only
        assert stated_time is not None, window.words
        assert stated_time.named, window.words
        assert (stated_time.span.start, stated_time.span.end) == (window.span.start, window.span.end), window.words


def test_no_event_states_a_date():
    assert all(read_stated_times(f"during {anchor.name}").stated_times == () for anchor in load_anchors()[::20])


def test_events_are_written_as_people_write_them():
    names = {anchor.name for anchor in load_anchors()}
    assert {"World War II", "the Korean War", "the Marshall Plan", "the battle of Bunker Hill"} <= names


def test_open_spans_and_times_without_events_have_none():
    assert build_anchor_windows(Span.parse("1998/.."), random.Random(1)) == []
