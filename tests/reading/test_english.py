"""The English tagger: what it finds, where, and what it makes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.errors import EpochalError, UnknownNameError
from epochal.reading import tag, tag_batch
from epochal.reading.english import EnglishTagger
from epochal.reading.english.lexicon import get_codes
from epochal.reading.english.marks import ALL_MARKS
from epochal.reading.english.match import get_rule
from epochal.reading.english.patterns import EXAMPLE_DATE, GRAMMAR
from epochal.reading.english.tagger import _ASIDE, _find_first_match
from epochal.reading.english.tokens import _NOTHING, _OPEN, _ROWS, tokenise
from epochal.reading.grammar import Rule
from epochal.times import Certainty, Span

NOW = Span.parse("1998-03-05")  # a Thursday
TAGGER = EnglishTagger()

#: text, the expression in it, kind, TIMEX3 value
CASES = [
    ("It began on May 1, 1997.", "May 1, 1997", "DATE", "1997-05-01"),
    ("It began on 1 May 1997.", "1 May 1997", "DATE", "1997-05-01"),
    ("It began on the 1st of May, 1997.", "the 1st of May, 1997", "DATE", "1997-05-01"),
    ("It began on Thursday, May 1, 1997.", "Thursday, May 1, 1997", "DATE", "1997-05-01"),
    ("It began on 1997-05-01.", "1997-05-01", "DATE", "1997-05-01"),
    ("It began on 05/01/1997.", "05/01/1997", "DATE", "1997-05-01"),
    ("It began on 31/05/1997.", "31/05/1997", "DATE", "1997-05-31"),
    ("It began on 31.5.1997.", "31.5.1997", "DATE", "1997-05-31"),
    ("It began in May 1997.", "May 1997", "DATE", "1997-05"),
    ("It began in Sept. 1997.", "Sept. 1997", "DATE", "1997-09"),
    ("It began in May '97.", "May '97", "DATE", "1997-05"),
    ("It began in 1997.", "1997", "DATE", "1997"),
    ("It began in early 1997.", "early 1997", "DATE", "1997"),
    ("It began at the end of 1997.", "the end of 1997", "DATE", "1997"),
    ("It began in mid-November.", "mid-November", "DATE", "1997-11"),
    ("It began in the summer of 1997.", "the summer of 1997", "DATE", "1997-SU"),
    ("It began in the third quarter of 1997.", "the third quarter of 1997", "DATE", "1997-Q3"),
    ("It began in Q3 1997.", "Q3 1997", "DATE", "1997-Q3"),
    ("It began in the 1990s.", "the 1990s", "DATE", "199"),
    ("It began in the late 1990s.", "the late 1990s", "DATE", "199"),
    ("It began in the 19th century.", "the 19th century", "DATE", "18"),
    ("It began in the 4th century BC.", "the 4th century BC", "DATE", "BC03"),
    ("It began in 490 BC.", "490 BC", "DATE", "BC0490"),
    ("It began in AD 79.", "AD 79", "DATE", "0079"),
    ("Caesar died on 15 March 44 BC.", "15 March 44 BC", "DATE", "BC0044-03-15"),
    ("It began in nineteen ninety-seven.", "nineteen ninety-seven", "DATE", "1997"),
    ("It began today.", "today", "DATE", "1998-03-05"),
    ("It began yesterday.", "yesterday", "DATE", "1998-03-04"),
    ("It will begin tomorrow.", "tomorrow", "DATE", "1998-03-06"),
    ("It began on Tuesday.", "Tuesday", "DATE", "1998-03-03"),
    ("It will begin on Tuesday.", "Tuesday", "DATE", "1998-03-10"),
    ("It began last Friday.", "last Friday", "DATE", "1998-02-27"),
    ("It will begin next Friday.", "next Friday", "DATE", "1998-03-13"),
    ("It will begin next Monday.", "next Monday", "DATE", "1998-03-09"),
    ("It snowed the winter before last.", "the winter before last", "DATE", "1996-WI"),
    ("Give it within 48 h of birth.", "48 h", "DURATION", "PT48H"),
    ("They meet every Monday at 9am.", "every Monday at 9am", "SET", "XXXX-WXX-1T09:00"),
    ("It began last week.", "last week", "DATE", "1998-W09"),
    ("It began last month.", "last month", "DATE", "1998-02"),
    ("It will begin next year.", "next year", "DATE", "1999"),
    ("It began earlier this year.", "earlier this year", "DATE", "1998"),
    ("It began last November.", "last November", "DATE", "1997-11"),
    ("It began last summer.", "last summer", "DATE", "1997-SU"),
    ("It began two years ago.", "two years ago", "DATE", "1996"),
    ("It began three days ago.", "three days ago", "DATE", "1998-03-02"),
    ("It began in June last year.", "June last year", "DATE", "1997-06"),
    ("It began on Dec. 7.", "Dec. 7", "DATE", "1997-12-07"),
    ("They met at 10:30 a.m. on the roof.", "10:30 a.m.", "TIME", "1998-03-05T10:30"),
    ("They met at 3 p.m. yesterday.", "3 p.m. yesterday", "TIME", "1998-03-04T15:00"),
    ("They met Monday night.", "Monday night", "TIME", "1998-03-02TNI"),
    ("They met this morning.", "this morning", "TIME", "1998-03-05TMO"),
    ("They met last night.", "last night", "TIME", "1998-03-04TNI"),
    ("They met on Thanksgiving 1999.", "Thanksgiving 1999", "DATE", "1999-11-25"),
    ("They met at Easter 2000.", "Easter 2000", "DATE", "2000-04-23"),
    ("They met on New Year's Eve 1999.", "New Year's Eve 1999", "DATE", "1999-12-31"),
    ("They met on Labor Day 1997.", "Labor Day 1997", "DATE", "1997-09-01"),
    ("It began in FY2005.", "FY2005", "DATE", "2005"),
    ("It began in the second half of 2004.", "the second half of 2004", "DATE", "2004-H2"),
    ("It began 66 million years ago.", "66 million years ago", "DATE", "BC65998003"),
    ("It began in Meiji 10.", "Meiji 10", "DATE", "1877"),
    ("It lasted two years.", "two years", "DURATION", "P2Y"),
    ("An eight-year war followed.", "eight-year", "DURATION", "P8Y"),
    ("It lasted two and a half years.", "two and a half years", "DURATION", "P2Y6M"),
    ("It lasted several months.", "several months", "DURATION", "PXM"),
    ("It lasted twenty-five minutes.", "twenty-five minutes", "DURATION", "PT25M"),
    ("It took two to three weeks.", "two to three weeks", "DURATION", "P2W"),
    ("It will be over by the year two thousand.", "the year two thousand", "DATE", "2000"),
    ("It took more than three weeks.", "more than three weeks", "DURATION", "P3W"),
    ("It happens every day.", "every day", "SET", "P1D"),
    ("It happens every Monday.", "every Monday", "SET", "XXXX-WXX-1"),
    ("It appears weekly.", "weekly", "SET", "P1W"),
    ("It is now closed.", "now", "DATE", "PRESENT_REF"),
    ("It was recently closed.", "recently", "DATE", "PAST_REF"),
    ("It will close in the near future.", "the near future", "DATE", "FUTURE_REF"),
    ("It was closed in the past.", "the past", "DATE", "PAST_REF"),
    ("It began in the latter half of 2008.", "the latter half of 2008", "DATE", "2008-H2"),
    ("It fell in the second half of last year.", "the second half of last year", "DATE", "1997-H2"),
    ("It began in the early part of 1943.", "the early part of 1943", "DATE", "1943"),
    ("They met in the autumn of 481 BC.", "the autumn of 481 BC", "DATE", "BC0481-FA"),
    ("It began in the 470s BC.", "the 470s BC", "DATE", "BC047"),
    ("It began ca. 466 BC.", "ca. 466 BC", "DATE", "BC0466"),
    ("They met at 5 p.m. EST Nov. 9.", "5 p.m. EST Nov. 9", "TIME", "1997-11-09T17:00"),
    ("It is this coming Sunday, March 8.", "this coming Sunday, March 8", "DATE", "1998-03-08"),
    ("It was on the night of Friday, Oct. 24.", "the night of Friday, Oct. 24", "TIME", "1997-10-24TNI"),
    ("The talks began at 1800 GMT.", "1800 GMT", "TIME", "1998-03-05T18:00"),
    ("The March accession was planned.", "March", "DATE", "1998-03"),
    ("It fell before the spring offensive.", "spring", "DATE", "1998-SP"),
    ("It lasted two years and three months.", "two years and three months", "DURATION", "P2Y3M"),
    ("It took an hour and 20 minutes.", "an hour and 20 minutes", "DURATION", "PT1H20M"),
    ("It took 2 days, 3 hours.", "2 days, 3 hours", "DURATION", "P2DT3H"),
    ("It lasted two-and-a-half years.", "two-and-a-half years", "DURATION", "P2Y6M"),
    ("It lasted almost a hundred years.", "almost a hundred years", "DURATION", "P100Y"),
    ("After a year-long trial he left.", "year-long", "DURATION", "P1Y"),
    ("A daylong meeting followed.", "daylong", "DURATION", "P1D"),
    ("It followed a several-year tenure.", "several-year", "DURATION", "PXY"),
    ("It was the two day rally.", "two day", "DURATION", "P2D"),
    ("It rose in the four previous weeks.", "the four previous weeks", "DURATION", "P4W"),
    ("They talked for some months.", "some months", "DURATION", "PXM"),
    ("They talked some months ago.", "some months ago", "DATE", "PAST_REF"),
]


@pytest.mark.parametrize(("text", "expression", "kind", "value"), CASES, ids=[case[1] for case in CASES])
def test_expressions(text: str, expression: str, kind: str, value: str) -> None:
    (found,) = TAGGER.tag(text, NOW)
    assert (found.text, found.kind, found.value) == (expression, kind, value)
    assert text[found.start_char : found.end_char] == expression


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("From 2004 to 2006 it rose.", ["2004", "2006"]),
        ("The war of 1939-45 ended.", ["1939", "1945"]),
        ("Battles on 12 and 15 April 1951 failed.", ["1951-04-12", "1951-04-15"]),
        ("The First Punic War (264 to 241 BC) began.", ["BC0264", "BC0241"]),
        ("He arrived on 6 June 1944. Two days later he left.", ["1944-06-06", "1944-06-08"]),
        ("He arrived on 6 June 1944. The next day he left.", ["1944-06-06", "1944-06-07"]),
        ("It opened in 1951 and closed the same year.", ["1951", "1951"]),
        ("In 1861 they met on July 25 of that year.", ["1861", "1861-07-25"]),
        ("They met in April and June 1955.", ["1955-04", "1955-06"]),
        ("It lasted from October to March 1945.", ["1944-10", "1945-03"]),
        ("They spent the spring and early summer of 1943 there.", ["1943-SP", "1943-SU"]),
        ("They met on March 1 to April 30, 2003.", ["2003-03-01", "2003-04-30"]),
        ("They left on May 4 and 5, at last.", ["1998-05-04", "1998-05-05"]),
        ("Life improved in 2007-08.", ["2007", "2008"]),
        ("It came up in the 1970s and 80s.", ["197", "198"]),
        ("They left in August. 1972 was quiet.", ["1997-08", "1972"]),
        ("It opens tomorrow at 12 p.m. as planned.", ["1998-03-06", "1998-03-06T12:00"]),
        ("It rose in the first nine months of 1997.", ["P9M", "1997"]),
        ("Third-quarter profit fell; in the 1996 period it rose.", ["1998-Q3", "1996-Q3"]),
    ],
)
def test_several_expressions(text: str, values: list[str]) -> None:
    assert [found.value for found in TAGGER.tag(text, NOW)] == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("He was shot Friday.", "1998-02-27"),
        ("The talks will resume on Monday.", "1998-03-09"),
        ("The talks are to resume in Paris Monday.", "1998-03-09"),
        ("They planned to leave on Tuesday.", "1998-03-10"),
        ("The talks resume Monday in Paris.", "1998-03-09"),
        ("The talks, set to resume Monday, failed.", "1998-03-09"),
        ("It hit a record set Monday.", "1998-03-02"),
        ("They announced the plan Monday.", "1998-03-02"),
        ("The bid had been due to expire Monday.", "1998-03-02"),
        ("It began, as previously planned, Monday.", "1998-03-02"),
        ("A service planned for Monday was cancelled.", "1998-03-02"),
        ("Until Monday, they had not called him.", "1998-03-02"),
        ("Mr. Schwarz will succeed Daniel P. Davison Monday.", "1998-03-09"),
        ("They won't leave on Monday.", "1998-03-09"),
        ("They didn't leave on Monday.", "1998-03-02"),
        ("He stepped down in June.", "1997-06"),
        ("He will step down in February.", "1999-02"),
        ("Congress reconvenes in February.", "1999-02"),
        ("The dividend is payable on July 1.", "1998-07-01"),
        ("It was issued on July 1.", "1997-07-01"),
    ],
)
def test_the_tense_says_which_weekday_or_month_is_meant(text: str, value: str) -> None:
    assert [found.value for found in TAGGER.tag(text, NOW)] == [value]


def test_spans_keep_their_grain_and_doubt() -> None:
    early, about = TAGGER.tag("In early 1997 and about 1984.", NOW)
    assert early.span == Span.year(1997).part("early")
    assert about.span == Span.year(1984).with_certainty(Certainty.APPROXIMATE)
    assert (early.mod, about.mod) == ("START", "APPROX")


def test_zones_move_the_span_and_not_the_value() -> None:
    (found,) = TAGGER.tag("They met at 5 p.m. EST yesterday.", NOW)
    assert found.value == "1998-03-04T17:00"
    assert found.span == Span.parse("1998-03-04T22:00Z")


def test_nothing_is_finer_than_what_it_is_counted_from() -> None:
    year, later = TAGGER.tag("It opened in 1951 and closed two weeks later.", NOW)
    assert later.span == year.span
    assert TAGGER.tag("It began 2 hours ago.", NOW)[0].value == "1998-03-05"


def test_what_is_stated_and_what_is_carried() -> None:
    (whole,) = TAGGER.tag("It began on May 1, 1997.", NOW)
    assert (set(whole.stated), whole.carried) == ({"year", "month", "day"}, ())
    (part,) = TAGGER.tag("It began on Dec. 7.", NOW)
    assert (set(part.stated), part.carried) == ({"month", "day"}, ("year",))


def test_without_a_date_relative_expressions_stay_open() -> None:
    (found,) = TAGGER.tag("It began on Tuesday.")
    assert found.value == "XXXX-WXX-2"
    assert found.span is None


def test_a_story_counts_from_its_own_dates() -> None:
    years = " ".join(f"In {year} there was a battle." for year in range(1936, 1945))
    text = f"{years} On 20 March they marched."
    assert TAGGER.tag(text, Span.parse("2009-12-19"))[-1].value == "1944-03-20"


@pytest.mark.parametrize(
    "aside",
    [
        "They prepared a planned campaign in 1976.",
        "The papers were declassified in 2005.",
        "It had been founded in 1973.",
        "It was as bad as a year earlier.",
    ],
)
def test_a_story_does_not_move_to_what_it_only_mentions(aside: str) -> None:
    years = " ".join(f"In {year} there was a battle." for year in range(1964, 1975))
    text = f"{years} On 10 March 1975 they attacked. {aside} On 20 March they marched."
    assert TAGGER.tag(text, Span.parse("2009-12-19"))[-1].value == "1975-03-20"


def test_a_story_that_names_its_year_again_keeps_its_month() -> None:
    years = " ".join(f"In {year} there was a battle." for year in range(1930, 1941))
    text = f"{years} On December 7, 1941, they attacked. The year 1941 was over. In January they marched."
    assert TAGGER.tag(text, Span.parse("2009-12-19"))[-1].value == "1942-01"


def test_years_to_come_make_no_story() -> None:
    text = "It will lose money in 1991, 1992, 1993, 1994, 1995, 1996, 1997 and 1998. Shares fell Friday."
    assert TAGGER.tag(text, Span.parse("1989-10-30"))[-1].value == "1989-10-27"


def test_a_few_sentences_of_a_year_long_past_count_from_it_and_news_from_its_publication() -> None:
    assert TAGGER.tag("Back in 1936 there was a battle. On 20 February they marched.", NOW)[-1].value == "1936-02-20"
    assert TAGGER.tag("In 1936 he was born. He said on Monday he left on 20 February.", NOW)[-1].value == "1998-02-20"


def false_positives() -> list[str]:
    path = Path(__file__).parent / "data" / "false_positives_en.txt"
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("text", false_positives())
def test_no_time_is_seen_where_there_is_none(text: str) -> None:
    assert [(found.text, found.value) for found in TAGGER.tag(text, NOW)] == []


@pytest.mark.parametrize("rule", GRAMMAR.table, ids=[f"{n}-{rule.name}" for n, rule in enumerate(GRAMMAR.table)])
def test_the_example_of_each_rule_is_read_by_that_rule(rule: Rule) -> None:
    before, words, after = re.split(r"[\[\]]", rule.example)
    text = before + words + after
    now = Span.parse(EXAMPLE_DATE)
    assert any(row is rule for row, _ in TAGGER.trace(text, now)), TAGGER.trace(text, now)
    last = len(before) + len(words)
    found = [item for item in TAGGER.tag(text, now) if item.start_char < last and item.end_char > len(before)]
    expected = [] if rule.value is None else [(words, rule.value)]
    assert [(item.text, item.value) for item in found] == expected


def test_every_rule_has_a_function() -> None:
    for rule in GRAMMAR.table:
        if rule.value is not None:
            assert callable(get_rule(rule.name))


WORDS = (
    "the a May March sat second 1984 12 3 - , . of in last next year years day days week Friday 10:30 pm p.m. BC AD "
    "490 1990s quarter third early late mid end beginning every two twenty five ago later earlier and to from between "
    "since now today tomorrow night morning spring fall Q3 1998-03-05 ( ) ' s half few several about more than up at "
    "least fiscal period time $ # @ Jan. Sept. Sun Mon 5,000 1/2 2004-06 156X 1939-45 weekend Easter İ 文 long part "
    "latter hundred some GMT 1800 0600 past 470s yearlong that same will said was had planned to daily minute"
).split()


def check_sound(text: str, now: Span | None) -> None:
    last = 0
    for found in tag(text, now):
        assert last <= found.start_char < found.end_char <= len(text)
        assert text[found.start_char : found.end_char] == found.text
        last = found.end_char


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.sampled_from(["", " "]), st.sampled_from([None, NOW]))
def test_any_sequence_of_time_words_is_read_soundly(words: list[str], gap: str, now: Span | None) -> None:
    check_sound(gap.join(words), now)


@given(st.text(max_size=200), st.sampled_from([None, NOW]))
def test_any_text_is_read_soundly(text: str, now: Span | None) -> None:
    check_sound(text, now)


@pytest.mark.slow
def test_many_random_texts_are_read_soundly() -> None:
    import random

    rng = random.Random(7)
    for _ in range(50_000):
        words = [rng.choice(WORDS) for _ in range(rng.randint(1, 12))]
        text = rng.choice(["", " "]).join(words)
        if rng.random() < 0.3:
            place = rng.randrange(len(text) + 1)
            text = text[:place] + chr(rng.randrange(32, 0x3000)) + text[place:]
        check_sound(text, NOW if rng.random() < 0.5 else None)


@pytest.mark.parametrize("unit", ["1-", "May ", "two-", "the ", "1998, ", "a", "12:30 ", "of the ", "'", "last "])
def test_work_grows_with_the_text_and_no_faster(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in rules tried, not in seconds."""
    from epochal.reading.english import tagger

    tries = 0
    real = tagger._match_rules

    def counted(*arguments):
        nonlocal tries
        tries += 1
        return real(*arguments)

    monkeypatch.setattr(tagger, "_match_rules", counted)
    counts = []
    for size in (500, 1000):
        tries = 0
        TAGGER.tag(unit * size, NOW)
        counts.append(tries)
    assert counts[1] <= 2 * counts[0] + 10


@pytest.mark.parametrize("unit", ["1998, ", "1998 and ", "1998-", "1998 to "])
def test_guards_look_back_over_a_list_once(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal.reading.english import guards

    calls = 0
    real = guards.is_numbered

    def counted(*arguments, **options):
        nonlocal calls
        calls += 1
        return real(*arguments, **options)

    monkeypatch.setattr(guards, "is_numbered", counted)
    counts = []
    for size in (100, 200):
        calls = 0
        TAGGER.tag(unit * size, NOW)
        counts.append(calls)
    assert counts[1] <= 2 * counts[0] + 10


def test_codes_of_tokens() -> None:
    assert tokenise("He may march on Sat").codes == "...iW"
    assert set(tokenise("#Friday @may olympics2014").codes) == set(get_codes("OTHER", "@"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("at 9 a. m. today", ["at", "9", "a. m.", "today"]),
        ("in 490 b.c.  e. and", ["in", "490", "b.c.", "e", ".", "and"]),
        ("in 490 B. C. E. and", ["in", "490", "b. c. e.", "and"]),
        ("12:10:30 +0200", ["12:10:30", "+0200"]),
        ("12:10:30\n+0200", ["12:10:30", "+", "0200"]),
        ("am 24.11. \n in", ["am", "24.11.", "in"]),
        ("by 24.11.", ["by", "24.11", "."]),
        ("x3 x3 days", ["x", "x", "3", "days"]),
        ("plan a.", ["plan", "a", "."]),
        ("  \n ", []),
    ],
)
def test_tokens_reach_over_blanks(text: str, words: list[str]) -> None:
    tokens = tokenise(text)
    assert tokens.words == words
    assert [text[tokens.start(place) : tokens.end(place)].lower() for place in range(len(words))] == words
    assert tokens.start(len(words)) == len(text)


@pytest.mark.parametrize("end", ["", ".", ",", "?", "'s", "-", ")", "!?"])
@pytest.mark.parametrize("word", ["may", "will", "vict", "age", "iv", "a", "opened", "été", "²", "sec", "octo", "3rd"])
def test_codes_of_chunks_are_those_of_their_rows(word: str, end: str) -> None:
    tokens = tokenise(f"then {word}{end} then")
    words, codes, _ = _ROWS[word + end]
    if codes == _OPEN:
        return  # it may go on behind the blank
    assert tokens.words == ["then", *words, "then"]
    assert set(tokens.marks) == set(ALL_MARKS).intersection(codes)
    known = codes.lstrip(ALL_MARKS + _NOTHING)
    assert all(code in ("?", read) for code, read in zip(known, tokens.codes[1:-1], strict=True))


def test_batches_pair_texts_with_their_dates() -> None:
    texts = ["It began today.", "It began today."]
    found = list(tag_batch(texts, [NOW, Span.parse("2001-01-01")]))
    assert [items[0].value for items in found] == ["1998-03-05", "2001-01-01"]
    with pytest.raises(EpochalError, match="more texts than dates"):
        list(tag_batch(texts, [NOW]))
    with pytest.raises(UnknownNameError, match="no language is called 'xx'; known: auto, en, zh"):
        tag("In 1998", lang="xx")


def test_named_events_count_when_asked_for() -> None:
    text = "After the Korean War, and at the 2008 Beijing Olympics."
    assert [item.text for item in tag(text, NOW)] == ["2008"]
    found = tag(text, NOW, implicit=True)
    assert [item.text for item in found] == ["Korean War", "2008 Beijing Olympics"]
    assert found[1].span is not None
    assert found[1].span.first_year == 2008


def test_two_languages_in_one_text() -> None:
    found = tag("In May 1998 又于1999年6月 and in 2001.", NOW)
    assert [item.text for item in found] == ["May 1998", "1999年6月", "2001"]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Sales of the three months to 30 September 1997 rose.", ["1997-07-01/1997-09-30", "1997-09-30"]),
        ("The nine months ended June 30, 1996 saw losses.", ["1995-10-01/1996-06-30", "1996-06-30"]),
        ("In the year to March 1997 output fell.", ["1996-04/1997-03", "1997-03"]),
        ("It is for the 13 weeks ended 30 March 1996.", ["1995-12-31/1996-03-30", "1996-03-30"]),
        ("It rose in the 12 months ended January.", ["1997-02/1998-01", "1998-01"]),
        ("It is two months to May Day.", [None, "1998-05-01"]),
        ("They have two years to decide.", [None]),
        ("It closed a year ago this week.", ["1997-W10"]),
        ("It opened sixty years ago next month.", ["1938-04"]),
        ("They meet a week today.", ["1998-03-12"]),
        ("She spent a week on Monday last month.", [None, "1998-03-02", "1998-02"]),
        ("It was built in the 1850s and '60s.", ["185X", "186X"]),
        ("Send it by COB 20 March.", ["1998-03-20"]),
        ("Net debt at year-end 1996 was small.", ["1996-09~/1996-12~"]),
        ("ETA DOVER 03 MAR 19", ["2019-03-03"]),
        ("On 3 May 19 people left.", ["1998-05-03"]),
        ("It came ten years to the day after the fire.", [None]),
        ("_May 1997_ was wet, and my_var_1997 is none.", ["1997-05"]),
        ("Flight BA 2026 was late.", []),
        ("IN WITNESS WHEREOF this 3rd day of June, 1996", ["1996-06-03"]),
        ("A coin of Hadrian, AD 117-138.", ["0117", "0138"]),
        ("The house had AD 43 to 12 rooms.", ["0043"]),
        ("Posted 3h ago, edited 5m ago", ["1998-03-05", "1998-03-05"]),
        ("Date: Mon Jun 2 11:04:09 1997 +0300", ["1997-06-02T08:04:09Z"]),
        ("From the late 1800s to the early 1900s, and the 2000s", ["1867~/1899~", "1900~/1932~", "200X"]),
        ("She is in her early thirties and loves the noughties.", ["200X"]),
        ("It is light-years away, and took many man-hours.", []),
        ("It fell on the day before the election.", [None]),
        ("They meet every last Friday of the month.", [None]),
        ("In the second half of July 1997 it rained.", ["1997-07-16/1997-07-31"]),
    ],
)
def test_stretches_up_to_a_date_and_other_compounds(text, spans):
    assert [None if item.span is None else item.span.edtf() for item in tag(text, NOW)] == spans


def test_patterns_see_nothing_before_a_run_of_words():
    """What matches first in a run is looked up by the codes of the run alone."""
    gap = get_codes("OTHER")
    count = 0
    for rule in GRAMMAR.table:
        codes = tokenise(rule.example.replace("[", "").replace("]", "")).codes
        for start in (match.end() for match in re.finditer(re.escape(gap), codes)):
            end = codes.find(gap, start) % (len(codes) + 1)
            low = start - len(_ASIDE) if codes[:start].endswith(_ASIDE) else start
            first, last, rules = _find_first_match(start, codes[:end])
            assert _find_first_match(start - low, codes[low:end]) == (first - low, last - low, rules), rule
            count += bool(rules)
    assert count > 150
