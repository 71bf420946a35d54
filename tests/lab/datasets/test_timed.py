"""Timed questions: what they say is right follows from the dates, whatever the documents are."""

import datetime as dt
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.reading.questions.understand import understand
from epochal.storage.records import Document
from epochal.times.span import Span
from epochal_lab.datasets.making.make import make
from epochal_lab.datasets.timed.news_zh import NEWS_ZH
from epochal_lab.datasets.timed.passages import ask_earlier
from epochal_lab.datasets.timed.questions import (
    SPLITS,
    Split,
    TimedCorpus,
    TimedQuestion,
    convert_bench_set,
    make_bench_set,
    number_questions,
)
from epochal_lab.datasets.timed.timelines import (
    TimelineTopic,
    build_absent,
    build_timeline,
    split_groups,
    stated_months,
)
from epochal_lab.datasets.timed.wording import COMMON, NEWS, RELEASES, TERMS, Domain, name_day, name_month
from epochal_lab.datasets.timed.words import find_known_names

NOW = "2026-01-31"
_DAY = st.dates(dt.date(2015, 1, 1), dt.date(2025, 12, 31)).map(dt.date.isoformat)


@st.composite
def timelines(draw: st.DrawFn) -> list[TimelineTopic]:
    topics = []
    for name in ("zlib", "Kuala Lumpur"):
        days = draw(st.lists(_DAY, min_size=3, max_size=12))
        entries = tuple((day, f"{name}-{number}") for number, day in enumerate(days))
        undated = frozenset({f"{name}-undated"} if draw(st.booleans()) else ())
        topics.append(TimelineTopic(name, entries, undated, stated=frozenset({"2019-03"})))
    return topics


def _ask(topics: Sequence[TimelineTopic], split: Split, seed: int) -> list[TimedQuestion]:
    return build_timeline("made", topics, (RELEASES, NEWS, NEWS_ZH)[seed % 3], split, NOW, random.Random(seed))


@given(timelines(), st.sampled_from(SPLITS), st.integers(0, 10_000))
def test_gold_follows_from_dates(topics: list[TimelineTopic], split: Split, seed: int) -> None:
    for question in _ask(topics, split, seed):
        entries = next(topic.entries for topic in topics if topic.name == question.group)
        days = {id: day for day, id in entries}
        gold = {days[id] for id in question.relevant}  # a document without a date is never right
        first, last = min(days.values()), max(days.values())
        spans = {id: Span.parse(day) for id, day in days.items()}
        if question.kind in ("latest", "current"):
            assert gold == {last}
            assert question.relevant == {id for id, day in days.items() if day == last}
        elif question.kind == "first":
            assert gold == {first}
            assert question.relevant == {id for id, day in days.items() if day == first}
        elif question.kind == "as_of_option":
            assert question.as_of is not None
            known = [day for id, day in days.items() if spans[id].start <= question.as_of.start]
            assert gold == {max(known)}
        elif question.kind in ("in_month", "in_year"):
            size = 7 if question.kind == "in_month" else 4
            units = {day[:size] for day in gold}
            assert len(units) == 1
            assert question.relevant == {id for id, day in days.items() if day[:size] in units}
        elif question.kind == "before":
            assert max(gold) < min((day for id, day in days.items() if id not in question.relevant), default="9999")
        elif question.kind == "since":
            assert min(gold) > max((day for id, day in days.items() if id not in question.relevant), default="0000")
        elif question.kind in ("last_before", "first_after"):
            assert len(gold) == 1
        elif question.kind == "not_yet" and question.as_of is not None:
            assert question.as_of.end <= min(span.start for span in spans.values())
        assert question.answerable == bool(question.relevant)


@given(timelines(), st.integers(0, 10_000))
def test_empty_month_has_no_document_and_is_named_by_none(topics: list[TimelineTopic], seed: int) -> None:
    rng = random.Random(seed)
    for question in build_timeline("made", topics, RELEASES, "train", NOW, rng, {"empty_month": 4}):
        assert question.kind == "empty_month"
        assert question.outcome == "none_recorded"
        named = stated_months([question.text.replace(" of ", " ")])
        assert len(named) == 1, question.text
        entries = next(topic.entries for topic in topics if topic.name == question.group)
        assert named.isdisjoint(day[:7] for day, _ in entries)
        assert "2019-03" not in named


def test_absent_names_occur_nowhere_and_are_in_the_words() -> None:
    known = find_known_names(["zlib 1.2 fixes gcc-12 builds", "Kuala Lumpur"])
    assert {"zlib", "gcc", "12", "kuala"} <= known
    assert "photoshop" not in known
    for question in build_absent("made", ["Photoshop"], RELEASES, "report", NOW, (2015, 2020), random.Random(1)):
        assert question.outcome == "topic_unknown"
        assert not question.relevant
        assert question.on_topic == frozenset()
        assert "photoshop" in question.text.lower()


def test_splits_share_neither_topics_nor_frames() -> None:
    sides = split_groups(["a", "b", "c", "d", "e"], 3)
    assert sides == split_groups(["e", "d", "c", "b", "a"], 3)
    assert sorted(sides.values()) == ["report", "report", "train", "train", "train"]
    for frames in (COMMON, RELEASES.own, NEWS.own, TERMS.own, NEWS_ZH.own):
        for kind, sides_of_kind in frames.items():
            assert not set(sides_of_kind["train"]) & set(sides_of_kind["report"]), kind


@pytest.mark.parametrize("domain", [RELEASES, NEWS])
def test_every_kind_has_many_wordings(domain: Domain) -> None:
    for kind in ("latest", "first", "as_of_words", "before", "since", "between", "in_month", "when", "plain"):
        listed = [len(domain.list_frames(kind, split)) for split in SPLITS]
        assert min(listed) >= 4, kind
        assert sum(listed) >= 8, kind


@given(st.dates(dt.date(1000, 1, 1), dt.date(2100, 1, 1)), st.integers(0, 99))
def test_names_of_times_mean_what_they_say(day: dt.date, seed: int) -> None:
    rng = random.Random(seed)
    iso = day.isoformat()
    assert stated_months([name_month(iso[:7], rng).replace(" of ", " ")]) == {iso[:7]}
    assert stated_months([name_day(iso, rng).replace(" of ", " ")]) == {iso[:7]}


@given(st.sampled_from(SPLITS), st.integers(0, 10_000))
def test_chinese_questions_are_read_as_what_they_ask(split: Split, seed: int) -> None:
    days = ("2019-03-07", "2020-11-21", "2022-05-30", "2024-01-02")
    topic = TimelineTopic("泰国", tuple((day, f"t{number}") for number, day in enumerate(days)))
    for question in build_timeline("made", [topic], NEWS_ZH, split, "2024-08-30", random.Random(seed)):
        understood = understand(question.text, question.now)
        order = None if understood.order is None else understood.order.kind
        wanted = {"latest": "newest", "first": "oldest", "last_before": "last_before", "first_after": "first_after"}
        assert order == wanted.get(question.kind, order), question.text
        if question.kind in ("in_month", "in_year", "between", "before", "since", "empty_month"):
            assert order is None, question.text
            assert understood.constraints, question.text
        if question.kind == "as_of_words":
            assert understood.as_of is not None or order == "last_before", question.text


def test_a_question_says_what_it_cannot_mean() -> None:
    now = Span.parse(NOW)
    with pytest.raises(UnknownNameError, match="kind of question"):
        TimedQuestion("q", "latest zlib", "newest", "made", now)
    with pytest.raises(EpochalError, match="has 0 relevant documents and the outcome 'recorded'"):
        TimedQuestion("q", "latest zlib", "latest", "made", now)
    with pytest.raises(EpochalError, match="has 1 relevant documents and the outcome 'none_recorded'"):
        TimedQuestion("q", "latest zlib", "latest", "made", now, frozenset({"a"}), outcome="none_recorded")


def _make_documents() -> list[Document]:
    rng = random.Random(4)
    return [
        Document(
            f"{name}-{number}",
            f"The {name} committee met and reported on {rng.choice(('fees', 'bridges', 'schools'))}.",
            f"{name.title()} committee, session {number}",
            Span.day(2010 + number, 1 + number % 12, 5),
        )
        for name in ("harbour", "railway", "library")
        for number in range(8)
    ]


def test_sets_made_from_own_documents_become_a_corpus_and_back() -> None:
    result, _ = make(_make_documents(), per_kind=5, seed=1)
    corpus = convert_bench_set(result)
    kinds = {question.kind for question in corpus.questions}
    assert {"in_month", "before", "since"} <= kinds
    texts = {query.text for query in result.queries}
    assert {question.text for question in corpus.questions} <= texts
    back = make_bench_set(corpus)
    assert back.qrels == {
        question.id: dict.fromkeys(question.relevant, 1) for question in corpus.questions if question.answerable
    }


def test_a_sample_is_spread_over_kinds_and_keeps_documents() -> None:
    topics = [TimelineTopic("zlib", tuple((f"20{year}-05-01", f"z{year}") for year in range(10, 25)))]
    questions = number_questions(build_timeline("made", topics, RELEASES, "train", NOW, random.Random(2)))
    corpus = TimedCorpus("made", (), questions)
    assert len({question.id for question in questions}) == len(questions)
    small = corpus.sample(len({question.kind for question in questions}), seed=5)
    assert {question.kind for question in small.questions} == {question.kind for question in questions}
    assert not corpus.select("report").questions
    with pytest.raises(UnknownNameError, match="split"):
        corpus.select("dev")  # type: ignore[arg-type]


@given(st.lists(st.integers(1850, 2020), min_size=1, max_size=4), st.integers(1850, 2020), st.integers(0, 50))
def test_what_is_asked_earlier_was_before_all_that_is_mentioned(mentioned: list[int], asked: int, seed: int) -> None:
    document = Document("page", f"Born in {mentioned[0]}. " + " ".join(f"Moved in {year}." for year in mentioned))
    questions = [
        TimedQuestion("", f"Where was {name} in {asked}?", "stated", "made", Span.year(2026), frozenset({"page"}))
        for name in ("Ann", "Bo", "Cy", "Di")
    ]
    corpus = ask_earlier(TimedCorpus("made", (document,), number_questions(questions)), lambda _: ["page"], seed)
    for question in corpus.questions:
        if question.kind == "unanswerable":
            assert not question.answerable
            (constraint,) = understand(question.text).constraints
            assert constraint.span.end <= Span.year(min(mentioned)).start
