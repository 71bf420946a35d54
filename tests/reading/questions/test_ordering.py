"""The order that a question asks for, and the date whose state of affairs it asks for."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.reading.questions import Order, understand
from epochal.times import Span

NOW = Span.parse("2026-11-16")


def order_of(text: str) -> str:
    order = understand(text, NOW).order
    if order is None:
        return "-"
    anchor = "" if order.anchor is None else f" {order.anchor.edtf()}"
    return f"{order.kind} {order.n}{' end' if order.from_end else ''}{anchor}"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What is the latest release of Flask?", "newest 1"),
        ("most recent ruling on water rights", "newest 1"),
        ("When did the volcano last erupt?", "newest 1"),
        ("Who last won the boat race?", "newest 1"),
        ("What was her last novel?", "newest 1"),
        ("Show me the last five invoices from Acme", "newest 5"),
        ("the three newest papers on graphene", "newest 3"),
        ("When was the last time it snowed in Cairo?", "newest 1"),
        ("Who was the first woman in space?", "oldest 1"),
        ("What is the earliest mention of the bridge?", "oldest 1"),
        ("When was the lighthouse first lit?", "oldest 1"),
        ("What were their first two singles?", "oldest 2"),
        ("Which was built first, the tower or the wall?", "oldest 1"),
        ("Who was the fourth mayor of Springfield?", "nth 4"),
        ("What did the 3rd edition add?", "nth 3"),
        ("the second most recent audit", "nth 2 end"),
        ("the third-to-last episode", "nth 3 end"),
        ("the third-oldest university", "nth 3"),
        ("the fourth earliest map", "nth 4"),
        ("Who was the previous chair of the board?", "nth 2 end"),
        ("Who was the last king before 1848?", "last_before 1 1848"),
        ("last change to the fee table before March 2019", "last_before 1 2019-03"),
        ("What was the first law passed after 1990?", "first_after 1 1990"),
        ("the first strike since 2015", "first_after 1 2015"),
        ("When is the next general assembly?", "first_after 1 2026-11-16"),
        ("the most recently published guideline on asthma", "newest 1"),
        ("Which report came out last?", "newest 1"),
        ("current Firefox release", "newest 1"),
        ("Which edition of the code is the current one?", "newest 1"),
        ("the present version of the treaty", "newest 1"),
        ("Which version of the driver is out now?", "newest 1"),
        ("What was the final ruling prior to 3 May 2011?", "last_before 1 2011-05-03"),
        ("newest map older than June 1920", "last_before 1 1920-06"),
        ("the text of the policy right before June 1920", "last_before 1 1920-06"),
        ("the release immediately after June 1920", "first_after 1 1920-06"),
        ("latest audit preceding march 3, 2014", "last_before 1 2014-03-03"),
        ("next meeting following 4 may 2021", "first_after 1 2021-05-04"),
        ("oldest photo newer than 1950", "first_after 1 1950"),
        ("最新的版本是什么？", "newest 1"),
        ("谁是第三任总统？", "nth 3"),
        ("最早的记录在哪里？", "oldest 1"),
        ("2010年之后的第一个冠军是谁？", "first_after 1 2010"),
        ("1912年以前的最后一位皇帝是谁？", "last_before 1 1912"),
        ("倒数第二次会议", "nth 2 end"),
        ("下一届奥运会在哪里举行？", "first_after 1 2026-11-16"),
    ],
)
def test_the_order_that_a_question_asks_for(text, wanted):
    assert order_of(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "How long did the siege last?",
        "How long does the battery last?",
        "What happened last year?",
        "What happened in the last three months?",
        "Who fought in the First World War?",
        "What is the first name of the president?",
        "Which is the second largest city of France?",
        "What did the first quarter of 2020 bring?",
        "What happened in the 19th century?",
        "Who is the oldest person alive?",
        "A guide to first aid",
        "What are third party cookies?",
        "How many seconds are in a day?",
        "Who wrote about the Second Punic War?",
        "the house next to the church",
        "recent changes to the tax code",
        "Who won the final in 1998?",
        "the final exam of 2019",
        "How do I present a new version to the board?",
        "What happened recently in Lyon?",
        "current events in Peru",
        "applications filed by 2018 at the latest",
        "the roof, in 1870 at the very earliest",
        "第二次世界大战的原因是什么？",
        "2020年第一季度的销量",
    ],
)
def test_no_order(text):
    assert order_of(text) == "-"


@pytest.mark.parametrize(
    ("text", "as_of", "constraints"),
    [
        ("How many members did the club have as of 1998?", "1998", ["until ../1998"]),
        ("As of 3 May 2020, which version was current?", "2020-05-03", ["until ../2020-05-03"]),
        ("which text was in force on 12 June 2007?", "2007-06-12", ["until ../2007-06-12"]),
        ("As of yesterday, who led the table?", "2026-11-15", ["until ../2026-11-15"]),
        ("截至2019年，公司有多少员工？", "2019", ["until ../2019"]),
        ("When did they last win as of 2011?", "2011", ["until ../2011"]),
        ("As of now, who is the director?", "2026-11-16", None),
        ("Which fees apply now?", "2026-11-16", []),
        ("the by-laws that are in force", "2026-11-16", []),
        ("¿Qué dice actualmente el artículo 7 de la Ley de Aguas?", "2026-11-16", []),
        ("Artículo 7 de la Ley de Aguas, texto vigente", "2026-11-16", []),
        ("Artículo 7 de la Ley de Aguas vigente el 27/03/2011", "2011-03-27", ["until ../2011-03-27"]),
        ("Article 12 du code rural, en vigueur le 27/03/2011", "2011-03-27", ["until ../2011-03-27"]),
        ("§ 12 in der Fassung vom 3. Mai 2019", "2019-05-03", ["until ../2019-05-03"]),
        ("Is the curfew in force since 2010 still valid?", None, ["since 2010/.."]),
        ("What does the lease say today?", "2026-11-16", []),
        ("the rules that are in force today", "2026-11-16", []),
        ("What did the mayor say today?", None, ["during 2026-11-16"]),
        ("What happened in the text adventure scene today?", None, ["during 2026-11-16"]),
        ("What was the newest map on 3 May 2020?", "2020-05-03", ["until ../2020-05-03"]),
        ("On 12 june 2007, what was the most recent ruling?", "2007-06-12", ["until ../2007-06-12"]),
        ("current Python version on 8 May 2015", "2015-05-08", ["until ../2015-05-08"]),
        ("latest forecast for Rome on 3 May 2020", None, ["during 2020-05-03"]),
        ("Which curl would I have installed on 3 May 2020?", "2020-05-03", ["until ../2020-05-03"]),
        ("Which terms would have governed my account on 3 May 2020?", "2020-05-03", ["until ../2020-05-03"]),
        ("What would have happened on 3 May 2020 without him?", None, ["during 2020-05-03"]),
        ("Which privacy policy applied on 3 May 2020?", "2020-05-03", ["until ../2020-05-03"]),
        ("What did the terms of service say on 3 May 2020?", "2020-05-03", ["until ../2020-05-03"]),
        ("What did the sepsis protocol say on 3 March 2018?", "2018-03-03", ["until ../2018-03-03"]),
        ("What did the minister say on 3 May 2020?", None, ["during 2020-05-03"]),
        ("Which candidates applied on 3 May 2020?", None, ["during 2020-05-03"]),
        ("What would have been built on 3 May 2020?", None, ["during 2020-05-03"]),
        ("Which firmware did the router have on 3 May 2023?", "2023-05-03", ["until ../2023-05-03"]),
        ("On 3 May 2023, who was the prime minister of Japan?", "2023-05-03", ["until ../2023-05-03"]),
        ("What version was the server running on 12 June 2022?", "2022-06-12", ["until ../2022-06-12"]),
        ("Where did she live on 1 January 2001?", "2001-01-01", ["until ../2001-01-01"]),
        ("What did a litre of milk cost on 4 April 1999?", "1999-04-04", ["until ../1999-04-04"]),
        ("Who held the title on 6 October 1990?", "1990-10-06", ["until ../1990-10-06"]),
        ("Which release came out on 3 May 2020?", None, ["during 2020-05-03"]),
        ("Who was the president elected on 4 November 2008?", None, ["during 2008-11-04"]),
        ("Who was elected president on 4 November 2008?", None, ["during 2008-11-04"]),
        ("Which meeting did the team have on 3 May 2020?", None, ["during 2020-05-03"]),
        ("Who was mayor of the town that burned on 3 May 1920?", None, ["during 1920-05-03"]),
        ("Who held the press conference on 6 February 2023?", None, ["during 2023-02-06"]),
        ("What was said up to but not including 5 May 2020?", None, ["before ../2020-05-04"]),
        ("What was the last war of 1812?", None, ["during 1812"]),
        ("Who led the union in 1998?", None, ["during 1998"]),
        ("What has been in effect since 2010?", None, ["since 2010/.."]),
        ("Was it as hot as in 2003?", None, ["during 2003"]),
    ],
)
def test_the_date_whose_state_of_affairs_is_asked_for(text, as_of, constraints):
    found = understand(text, NOW)
    assert (None if found.as_of is None else found.as_of.edtf()) == as_of
    if constraints is not None:
        assert [f"{item.relation} {item.span.edtf()}" for item in found.constraints] == constraints
    if found.order is not None:
        assert found.order.kind == "newest", "a reference date is no anchor of an order"


def test_an_order_has_a_place_and_where_needed_an_anchor():
    with pytest.raises(EpochalError, match="at least 1, but is 0"):
        Order("nth", 0)
    with pytest.raises(EpochalError, match="needs an anchor"):
        Order("last_before")
    with pytest.raises(EpochalError, match="no order is called 'middle'"):
        Order("middle")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("first minutes of the Roads Subcommittee", "oldest"),
        ("most recent minutes of the Harbour Committee", "newest"),
        ("second most recent minutes of the Harbour Committee", "nth"),
        ("What was said in the first minutes of the match?", None),
        ("What happened in the first minutes of the World Cup final?", None),
        ("first ten minutes of the Choir Board", None),
    ],
)
def test_minutes_of_a_body_are_a_text(question, kind):
    order = understand(question, Span.parse("2026-11-18")).order
    assert (order and order.kind) == kind


@pytest.mark.parametrize("text", ["sold out tickets", "chess set prices", "roll-out vaccine", "knock-out stage"])
def test_english_words_are_no_months_of_other_languages(text: str) -> None:
    assert not understand(text, Span.parse("2026-11-16")).constraints
