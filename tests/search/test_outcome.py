"""The topic of a question, which a text must have to answer it: what is asked for, not how it is asked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from epochal.api import Index
from epochal.ranking.pool import Relevance
from epochal.reading.questions import understand
from epochal.search.outcome import get_topic_terms, has_record, is_hidden
from epochal.storage.records import Document
from epochal.times import Span

Filler = Callable[[list[Document]], Index]


@pytest.mark.parametrize(
    "question",
    [
        "What happened in 1998?",
        "Which events are recorded for May 1998?",
        "What documents appeared in 1998?",
        "1998年发生了什么事？",
        "1998年五月有沒有記事？",
        "史書在1998年記載了哪些內容？",
        "1998年5月是否無事可記？",
        "麻烦帮忙找一下1998年的史料",
        "1998年5月",
    ],
)
def test_a_question_for_whatever_there_is_has_no_topic(filled: Filler, question: str) -> None:
    index = filled([Document("a", "史官記事，有無五月之書。The board met.", published=Span.parse("1998-05-02"))])
    assert get_topic_terms(index.view(), understand(question)).tokens == ()
    assert index.search(question).outcome == "recorded"


@pytest.mark.parametrize(
    ("question", "is_topic"),
    [
        ("Brexit", True),
        ("war in Ukraine", True),
        ("hurricane Katrina", True),
        ("Katrina", True),
        ("the Middle Ages", True),
        ("yesterday", False),
        ("the 1990s", False),
        ("last week", False),
        ("12 Henry VIII", False),
        ("Christmas 2019", False),
    ],
)
def test_the_name_of_an_event_alone_is_a_topic_and_a_time_is_not(filled: Filler, question: str, is_topic: bool) -> None:
    view = filled([Document("a", "The board met.")]).view()
    assert bool(get_topic_terms(view, understand(question, Span.parse("2024-06-01"))).tokens) == is_topic


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("What did documents say of steel in 1998?", {"steel"}),
        ("1998年的鋼鐵價格如何？", {"鋼鐵", "價格"}),
        ("What happened to the mill in 1998?", {"mill"}),
    ],
)
def test_what_is_asked_about_stays(filled: Filler, question: str, tokens: set[str]) -> None:
    index = filled([Document("a", "Steel and mills. 鋼鐵價格。")])
    result = set(get_topic_terms(index.view(), understand(question)).tokens)
    assert {index.view().analyse(token)[-1] for token in tokens} <= result


@pytest.mark.parametrize(("year", "outcome"), [(1890, "none_recorded"), (1889, "none_recorded"), (1880, "not_covered")])
def test_an_approximate_date_covers_the_years_around_it(filled: Filler, year: int, outcome: str) -> None:
    index = filled([Document("a", "A portrait, painted ca. 1890 in Paris."), Document("b", "A cup.")])
    assert index.search(f"cup in {year}").outcome == outcome


def entry(package: str, number: int, day: str) -> Document:
    """An entry of a changelog as Debian writes it: the name in the first line, the date in the last, no title."""
    stamp = dt.date.fromisoformat(day).strftime("%a, %d %b %Y 14:30:24 +0000")
    text = (
        f"{package} (1.{number}-1) unstable; urgency=low\n\n  * New upstream release.\n\n -- A. B. <a@b.c>  {stamp}\n"
    )
    return Document(f"{package}-{number}", text, published=day)


@pytest.mark.parametrize("aspect", ["bug fixes", "regressions", "changes", "vulnerabilities"])
def test_an_aspect_of_a_named_thing_need_not_be_in_its_text(tmp_path: Path, aspect: str) -> None:
    days = ["2014-02-03", "2015-09-22", "2016-05-17", "2019-11-08"]
    entries = [
        entry(name, number, day) for name in ("rhash", "libvorbis", "fribidi") for number, day in enumerate(days)
    ]
    others = [
        Document(f"o{n}", f"Mail about {aspect} of other programs, number {n}.", published="2012") for n in range(20)
    ]
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([*entries, *others])
        there = index.search(f"rhash {aspect} in September 2015", now="2024-06-01")
        empty = index.search(f"rhash {aspect} in October 2015", now="2024-06-01")
        absent = index.search(f"Photoshop {aspect} in September 2015", now="2024-06-01")
    assert (there[0].id, there.outcome) == ("rhash-1", "recorded")
    assert empty.outcome == "none_recorded"
    assert (absent.outcome, absent.unknown_words) == ("topic_unknown", ("Photoshop",))


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("reactive oxygen species (ROS) in 2010", ()),
        ("ROS in 2010", ("ROS",)),
        ("reactive oxygen species (Ohio) in 2010", ("Ohio",)),
        ("Next.js in 2010", ("Next.js",)),
    ],
)
def test_short_forms_and_names_with_dots(tmp_path: Path, question: str, unknown: tuple[str, ...]) -> None:
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add(
            [
                Document("a", "Reactive oxygen species rose. Next we look at main.js.", published="2010-05-01"),
                Document("b", "Nothing else happened.", published="2010-06-01"),
            ]
        )
        assert index.search(question, now="2020-01-01").unknown_words == unknown


def test_a_version_in_the_title_comes_before_one_in_a_text(tmp_path: Path) -> None:
    releases = [
        Document(f"django-{n}", f"Django 2.0.{n} fixes bugs in 2.0.{n - 1}.", f"Django 2.0.{n} release notes")
        for n in range(1, 9)
    ]
    other = Document(
        "old", "What changed: the bundled simplejson is 2.0.7, changed for Django.", "Django 1.5 release notes"
    )
    with Index.create(tmp_path / "index", encoder=None) as index:
        index.add([*releases, other])
        assert index.search("What changed in Django 2.0.7?", now="2020-01-01")[0].id == "django-7"


@pytest.mark.parametrize(
    ("topic", "time", "recorded"),
    [
        # A president of Poland in 2010 is no record of Brazil's, of whom there are others at other times.
        ([0.95, 0.38], [0.0, 0.95], False),
        ([0.95, 0.38], [0.9, 0.95], True),
        ([0.95, 0.80], [0.0, 0.95], True),
        # Where nothing fits better, what fits fairly well is the topic.
        ([0.38], [0.95], True),
    ],
)
def test_what_is_less_on_the_topic_than_others_is_no_record(
    topic: list[float], time: list[float], recorded: bool
) -> None:
    values = np.array(topic)
    relevance = Relevance(values, values, values, values, values, values * np.array(time), {"Brazil": 0.7}, ())
    assert has_record(relevance, 0.31) is recorded


@pytest.mark.parametrize(("left", "best", "hidden"), [(0.38, 0.95, True), (0.80, 0.95, False), (0.38, 0.38, False)])
def test_what_a_filter_hides_is_the_topic_too(left: float, best: float, hidden: bool) -> None:
    """Article 135 of another law is no record of the one that did not exist yet."""
    values = np.array([left])
    relevance = Relevance(values, values, values, values, values, values, {"Ley": 0.7}, (), best_topic=best)
    assert is_hidden(relevance) is hidden
