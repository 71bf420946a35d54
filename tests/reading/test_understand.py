"""Questions of our own with what they ask of time; TEMPO's meta-evaluation cases; the shared question sets."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest

from costs import assert_linear
from epochal.reading.expression import TimeExpr
from epochal.reading.questions.question import FOCUSES, INTENTS, RECENCY_CLASSES, TEMPORAL_CLASSES, Question
from epochal.reading.questions.understand import understand
from epochal.times import Span
from epochal.times.words import read
from paths import DATA, needs_data

NOW = Span.parse("2026-11-15")


class Simple:
    """Years, decades, centuries and Chinese years: enough to test what is built on top of a tagger."""

    _FORM = re.compile(
        r"(?:the )?(?:early |mid |late )?\d{1,2}(?:st|nd|rd|th) century(?: BCE?)?"
        r"|(?:the )?\d{3}0s|\d{1,4} (?:BCE?|AD|CE)"
        r"|(?P<han>公元前)?(?P<year>\d{1,4})年(?:(?P<month>\d{1,2})月)?|(?<!\d)(?:1\d|20)\d\d(?!\d)",
        re.IGNORECASE,
    )

    def tag(self, text: str, now: Span | None = None) -> list[TimeExpr]:
        found = []
        for match in self._FORM.finditer(text):
            if match["year"]:
                year = int(match["year"]) if not match["han"] else 1 - int(match["year"])
                span = Span.year(year) if not match["month"] else Span.month(year, int(match["month"]))
            else:
                words = read(match[0])
                span = None if words is None else Span.of(words)
            if span is not None:
                found.append(TimeExpr(match[0], match.start(), match.end(), "DATE", span.edtf(), span))
        return found


#: One question a line, with what it asks; the first line says how to read the others.
CASES = (Path(__file__).parent / "data" / "questions.txt").read_text(encoding="utf-8").splitlines()[1:]


def rows():
    for line in CASES:
        cells = [cell.strip() for cell in line.split(" | ")]
        assert len(cells) == 7, line
        yield pytest.param(*cells, id=cells[0])


def shown(found):
    return ", ".join(
        f"{item.relation} {item.span.edtf()}" + (" publication" if item.axis == "publication" else "")
        for item in found.constraints
    )


@pytest.mark.parametrize(("text", "intent", "focus", "kind", "across", "constraints", "periods"), list(rows()))
def test_questions(text, intent, focus, kind, across, constraints, periods):
    found = understand(text, NOW)
    got = {
        "intent": found.intent,
        "focus": found.temporal_focus,
        "class": found.temporal_class,
        "across": "yes" if found.cross_period else "no",
        "constraints": shown(found) or "-",
        "periods": " ".join(span.edtf() for span in found.periods) or "-",
    }
    want = dict(zip(got, (intent, focus, kind, across, constraints, periods), strict=True))
    assert got == {key: got[key] if value == "*" else value for key, value in want.items()}


def test_there_are_a_hundred_questions():
    assert len(CASES) >= 100


@pytest.mark.parametrize(
    ("text", "focus", "cross"),
    [
        ("How have Bitcoin fees changed since 2017?", "change_over_time", True),
        ("What is the definition of a Merkle tree?", "none", False),
        ("Who was the president in 1920?", "specific_time", False),
        ("Describe the recent evolution of the Lightning Network", "change_over_time", True),
    ],
)
def test_the_meta_evaluation_cases_of_tempo(text, focus, cross):
    for now in (NOW, None):
        found = understand(text, now)
        assert (found.temporal_focus, found.cross_period) == (focus, cross)
        assert found.is_temporal == (focus != "none")


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about block headers?",
        "Since fees are low, should I run a node?",
        "Why is this video trending?",
        "Why did the balance stay unchanged?",
        "How is the exchange rate quoted?",
        "Nowhere in the contract is a penalty named; is that legal?",
    ],
)
def test_substrings_do_not_make_a_question_cross_period(text):
    assert not understand(text, NOW).cross_period


def test_periods_are_chronological_whatever_the_order_of_the_words():
    found = understand("How does law in 2020 compare with law in 1804 and in 44 BCE?", NOW)
    assert [span.edtf() for span in found.periods] == ["-0043", "1804", "2020"]
    assert found.anchors == ("44 BCE", "1804", "2020")


def test_plan_has_a_step_a_period_and_one_that_explains():
    found = understand("How have transaction fees changed since 2017?", NOW)
    assert [step.action for step in found.plan] == [
        'Find the state of "transaction fees" in 2017.',
        'Find the state of "transaction fees" in 2026 (the present).',
        "Explain what changed between 2017 and 2026, and why.",
    ]
    assert [step.period and step.period.edtf() for step in found.plan] == ["2017", "2026", None]


def test_without_a_present_since_runs_on():
    found = understand("How have transaction fees changed since 2017?")
    assert [span.edtf() for span in found.periods] == ["2017", "2018/.."]


def test_what_runs_up_to_the_present_goes_stale():
    assert understand("How have rents changed since 1950?", NOW).half_life is not None
    assert understand("Who was president of the United States in 1920?", NOW).recency == "Never"


def test_topic_has_no_time_words():
    topics = {
        "When did the Berlin Wall fall?": "the Berlin Wall fall",
        "How have fees changed since 2017?": "How have fees changed",
        "What happened after the 1906 earthquake?": "What happened after the earthquake",
        "Who is currently the king of Norway?": "Who is the king of Norway",
        "What do we know about Troy?": "What do we know about Troy",
    }
    assert {text: understand(text, NOW).topic for text in topics} == topics


@pytest.mark.parametrize(
    ("text", "granularity"),
    [
        ("In what year did it sink?", "year"),
        ("On which day was it signed?", "date"),
        ("In which century did he live?", "century"),
        ("When was she born?", "date"),
        ("What was life like in the 1920s?", "decade"),
        ("How did Rome change from 200 BC to 100 AD?", "multicentury"),
        ("What is a Merkle tree?", "unknown"),
    ],
)
def test_granularity(text, granularity):
    assert understand(text, NOW).granularity == granularity


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("How have fees changed since 2017?", "trends_changes_and_cross_period"),
        ("What is the history of the bicycle?", "origins_evolution_comparative_analysis"),
        ("What were the causes of the First World War?", "causation_analysis"),
        ("Who first coined the term cell?", "historical_attribution_and_context"),
        ("What is the provenance of this Roman sword?", "materials_artifacts_and_provenance"),
        ("Is this photograph from 1865 authentic?", "artifact_verification"),
        ("Did Nero really burn Rome in 64 AD?", "event_verification_and_authenticity"),
        ("Which archives hold parish registers from 1750?", "sources_methods_and_documentation"),
        ("How did people travel during the Tang dynasty?", "time_period_contextualization"),
        ("Which common misconceptions exist about medieval hygiene?", "historical_misinterpretation_or_reenactment"),
        ("Who won the 1966 World Cup?", "event_analysis_and_localization"),
        ("What is a Merkle tree?", ""),
    ],
)
def test_reasoning_class(text, name):
    assert understand(text, NOW).reasoning_class == name


@pytest.mark.parametrize(
    ("text", "constraints", "cross"),
    [
        ("2020年以前中国有哪些空间站?", "before ../2019", False),
        ("2015年以来房价有什么变化?", "since 2015/..", True),
        ("从1990年到2020年，移民政策如何演变?", "between 1990/2020", True),
        ("2008年之后发生了哪些金融改革?", "after 2009/..", False),
        ("1850年左右人们吃什么?", "around 1850~", False),
        ("公元前221年谁统一了六国?", "during -0220", False),
        ("2019年发表的论文有哪些?", "during 2019 publication", False),
        ("2021年2月哪个新闻台被禁止落地?", "during 2021-02", False),
    ],
)
def test_chinese_bindings(text, constraints, cross):
    found = understand(text, NOW, tagger=Simple())
    assert (shown(found), found.cross_period) == (constraints, cross)


@pytest.mark.parametrize(
    ("text", "constraints"),
    [
        ("2020年以前中国有哪些空间站?", "before ../2019"),
        ("从1990年到2020年，移民政策如何演变?", "between 1990/2020"),
        ("2021年2月哪个新闻台被禁止落地?", "during 2021-02"),
    ],
)
def test_chinese_through_the_tagger(text, constraints):
    assert shown(understand(text, NOW)) == constraints


def test_a_question_brings_its_own_present():
    question = Question("who won the cup last year", Span.parse("2013-05-01"))
    assert shown(understand(question, NOW)) == "during 2012"


@pytest.mark.parametrize(
    "text", ["", " ", "?", "\n\n", "。", "a" * 5000, "1" * 500, "since since since", "between and"]
)
def test_odd_texts_are_understood_as_nothing(text):
    found = understand(text, NOW)
    assert found.intent in INTENTS
    assert found.temporal_focus in FOCUSES
    assert not found.constraints


@needs_data("recencyqa")
def test_every_shared_question_is_understood():
    texts = [json.loads(line)["query"] for line in (DATA / "tempo_sample" / "steps.jsonl").read_text().splitlines()]
    texts += [json.loads(line)["query"] for line in (DATA / "tqic" / "queries.jsonl").read_text().splitlines()]
    with gzip.open(DATA / "recencyqa" / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts += [json.loads(line)["question"] for line in lines][::10]
    for text in texts:
        found = understand(text, NOW)
        assert found.temporal_class in TEMPORAL_CLASSES
        assert found.recency in RECENCY_CLASSES
        json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("articles about the 2008 crisis", "during 2008"),
        ("What do you know about the 1906 earthquake?", "during 1906"),
        ("Tell me about 1968", "during 1968"),
        ("papers about the 1990s", "during 199X"),
        ("Who was king in about 1850?", "around 1850~"),
        ("Who was king around 1850?", "around 1850~"),
        ("the house of about 1850", "around 1850~"),
    ],
)
def test_about_names_a_subject_or_a_rough_date(text, want):
    assert shown(understand(text, NOW)) == want


@pytest.mark.parametrize(
    "text", ["Who will win the next election?", "Which team is going to win the league?", "谁将赢得下届选举？"]
)
def test_what_is_to_come_is_temporal(text):
    found = understand(text, NOW)
    assert (found.temporal_class, found.is_temporal) == ("future", True)


WORDS = (
    "how what when who will did has have changed since until between and before after about compare with in on the of "
    "1998 1930s 2024 44 BC today now next last year election war World War II Tang dynasty history trend articles "
    'published latest current ? , . ; ( ) " 年 以来 1998年 去年 有什么变化 谁 将 最近 之后 İ \x00 the 19th century'
).split(" ")


@pytest.mark.slow
def test_many_random_questions_are_understood():
    rng = random.Random(17)
    questions = [line.split(" | ")[0].strip() for line in CASES]
    nows = [None, NOW, Span.year(-220), Span.parse("1985/.."), Span.parse("../1985")]
    for _ in range(10_000):
        if rng.random() < 0.4:
            words = rng.choice(questions).split(" ")
            words[rng.randrange(len(words))] = rng.choice(WORDS)
        else:
            words = rng.choices(WORDS, k=rng.randint(0, 9))
        text = rng.choice(["", " ", " "]).join(words)
        if text and rng.random() < 0.3:
            place = rng.randrange(len(text))
            text = text[:place] + chr(rng.randrange(32, 0xD800)) + text[place + 1 :]
        found = understand(text, rng.choice(nows))
        assert found.to_dict()["is_temporal"] == found.is_temporal
        assert len(found.topic) <= len(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "in {0}, ",
        "between {0} and {0}, ",
        "and or with ",
        "the war after World War II ",
        "{0}年至{0}年，",
        "about the ",
    ],
)
def test_time_to_understand_is_linear(unit):
    def make(count: int) -> str:
        return "".join(unit.format(1000 + number % 1000) for number in range(count))

    assert_linear(lambda text: understand(text, NOW), make, 500, 4_000)


@pytest.mark.parametrize(
    ("question", "axis"),
    [
        ("Who won the Nobel Prize in Literature between 2013 and 2017?", "content"),
        ("Who led research in medicine between 1950 and 1960?", "content"),
        ("literature from 2019 on tariffs", "publication"),
        ("What did articles from 2019 say of tariffs?", "publication"),
    ],
)
def test_a_field_of_work_is_no_document(question: str, axis: str) -> None:
    assert [item.axis for item in understand(question).constraints] == [axis]
