"""The table of named events, and the finder of their names."""

from __future__ import annotations

from collections import Counter
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from epochal.errors import TableError
from epochal.reading import tag
from epochal.reading.events import (
    EVENT_KINDS,
    Event,
    EventFinder,
    load_events,
    read_events,
    resolve_anchor,
)
from epochal.reading.expression import Tagger
from epochal.times import Span

FINDER = EventFinder()
BY_NAME = {event.name: event for event in load_events()}

US_PRESIDENTS = """George Washington, John Adams, Thomas Jefferson, James Madison, James Monroe, John Quincy Adams,
Andrew Jackson, Martin Van Buren, William Henry Harrison, John Tyler, James K. Polk, Zachary Taylor, Millard Fillmore,
Franklin Pierce, James Buchanan, Abraham Lincoln, Andrew Johnson, Ulysses S. Grant, Rutherford B. Hayes,
James A. Garfield, Chester A. Arthur, First Grover Cleveland, Benjamin Harrison, Second Grover Cleveland,
William McKinley, Theodore Roosevelt, William Howard Taft, Woodrow Wilson, Warren G. Harding, Calvin Coolidge,
Herbert Hoover, Franklin D. Roosevelt, Harry S. Truman, Dwight D. Eisenhower, John F. Kennedy, Lyndon B. Johnson,
Richard Nixon, Gerald Ford, Jimmy Carter, Ronald Reagan, George H. W. Bush, Bill Clinton, George W. Bush, Barack Obama,
First Donald Trump, Joe Biden, Second Donald Trump"""
UK_PREMIERS = """Third Lord Salisbury, Arthur Balfour, Henry Campbell-Bannerman, H. H. Asquith, David Lloyd George,
Bonar Law, First Stanley Baldwin, First Ramsay MacDonald, Second Stanley Baldwin, Second Ramsay MacDonald,
Third Stanley Baldwin, Neville Chamberlain, First Winston Churchill, Clement Attlee, Second Winston Churchill,
Anthony Eden, Harold Macmillan, Alec Douglas-Home, First Harold Wilson, Edward Heath, Second Harold Wilson,
James Callaghan, Margaret Thatcher, John Major, Tony Blair, Gordon Brown, David Cameron, Theresa May, Boris Johnson,
Liz Truss, Rishi Sunak, Keir Starmer"""
FRENCH_PRESIDENTS = """Vincent Auriol, René Coty, Charles de Gaulle, Georges Pompidou, Valéry Giscard d'Estaing,
François Mitterrand, Jacques Chirac, Nicolas Sarkozy, François Hollande, Emmanuel Macron"""
CHANCELLORS = """Konrad Adenauer, Ludwig Erhard, Kurt Georg Kiesinger, Willy Brandt, Helmut Schmidt, Helmut Kohl,
Gerhard Schröder, Angela Merkel, Olaf Scholz, Friedrich Merz"""


def terms(office: str, holders: str) -> list[Span]:
    """The spans of an office's holders, in the order of the list."""
    found = []
    for holder in " ".join(holders.split()).split(", "):
        first, _, rest = holder.partition(" ")
        ordinal = first in ("First", "Second", "Third")
        name = f"{first} {office.lower()} of {rest}" if ordinal else f"{office} of {holder}"
        found.append(BY_NAME[name].span)
    return found


# ---------------------------------------------------------------- the table


def test_there_are_many_events_of_every_kind() -> None:
    kinds = Counter(event.kind for event in load_events())
    assert len(load_events()) >= 600
    assert set(kinds) == EVENT_KINDS
    assert min(kinds.values()) >= 20


def test_every_event_is_sound() -> None:
    for event in load_events():
        assert event.span.start < event.span.end, event.name
        assert Span.parse(event.span.edtf()) == event.span, event.name
        names = [name for name, _ in event.names()]
        assert all(name == name.strip() and name for name in names), event.name
        assert len(set(names)) == len(names), event.name
        assert all(any("㐀" <= sign <= "鿿" for sign in name) for name in event.zh), event.name


def test_no_two_events_have_one_name() -> None:
    assert [name for name, count in Counter(event.name for event in load_events()).items() if count > 1] == []


def test_every_name_is_found_and_leads_to_its_event() -> None:
    for event in load_events():
        for name, _ in event.names():
            assert event in FINDER.candidates(name), (event.name, name)


@pytest.mark.parametrize(
    ("name", "span"),
    [
        ("World War II", "1939-09-01/1945-09-02"),
        ("Peloponnesian War", "-0430/-0403"),
        ("Brexit", "2020-01-31"),
        ("Brexit referendum", "2016-06-23"),
        ("GDPR", "2018-05-25"),
        ("iPhone launch", "2007-06-29"),
        ("moon landing", "1969-07-20"),
        ("fall of the Berlin Wall", "1989-11-09"),
        ("Battle of Hastings", "1066-10-20"),  # 14 October in the Julian calendar
        ("assassination of Julius Caesar", "-0043-03-13"),  # the Ides of March
        ("Obama administration", "2009-01-20/2017-01-20"),
        ("1936 Berlin Olympics", "1936-08-01/1936-08-16"),
        ("文化大革命", "1966-05-16/1976-10-06"),
        ("抗日战争", "1937-07-07/1945-09-02"),
        ("第二次世界大戰", "1939-09-01/1945-09-02"),
    ],
)
def test_known_dates(name: str, span: str) -> None:
    assert [event.span.edtf() for event in FINDER.candidates(name)] == [span]


@pytest.mark.parametrize(
    ("office", "holders", "days_between"),
    [
        ("Presidency", US_PRESIDENTS, 0),
        ("Premiership", UK_PREMIERS, 4),
        ("Presidency", FRENCH_PRESIDENTS, 55),
        ("Chancellorship", CHANCELLORS, 9),
    ],
)
def test_terms_of_office_follow_one_another(office: str, holders: str, days_between: int) -> None:
    spans = terms(office, holders)
    for earlier, later in pairwise(spans):
        gap = (later.start - earlier.end) // 86400 + 1  # the last day of one term is the first of the next: 0
        assert 0 <= gap <= days_between, (earlier, later)
    assert spans[-1].is_open


def test_terms_of_a_presidency_fill_it() -> None:
    whole = BY_NAME["Presidency of Franklin D. Roosevelt"].span
    parts = [BY_NAME[f"{term} term of Franklin D. Roosevelt"].span for term in ("first", "second", "third", "fourth")]
    assert (parts[0].start, parts[-1].end) == (whole.start, whole.end)


def test_olympics_come_every_four_years() -> None:
    def years(season: str) -> list[int]:
        return [year for year in range(1890, 2040) if f"{year} {season} Olympics" in BY_NAME]

    assert years("Summer") == [year for year in range(1896, 2033, 4) if year not in (1916, 1940, 1944)]
    old = [year for year in range(1924, 1993, 4) if year not in (1940, 1944)]
    assert years("Winter") == old + list(range(1994, 2027, 4))
    held = {year: BY_NAME[f"{year} Summer Olympics"].span.first_year for year in years("Summer")}
    assert {year: first for year, first in held.items() if year != first} == {2020: 2021}


def test_world_cups_come_every_four_years() -> None:
    years = [year for year in range(1920, 2030) if f"{year} FIFA World Cup" in BY_NAME]
    assert years == [year for year in range(1930, 2027, 4) if year not in (1942, 1946)]


def test_american_elections_are_on_a_tuesday() -> None:
    for year in range(1848, 2025, 4):
        day = date.fromisoformat(BY_NAME[f"{year} United States presidential election"].span.edtf())
        assert (day.year, day.month, day.weekday()) == (year, 11, 1)
        assert 2 <= day.day <= 8


def test_parts_lie_within_their_whole() -> None:
    for part, whole in [
        ("Second Punic War", "Punic Wars"),
        ("Third Crusade", "Crusades"),
        ("Battle of Stalingrad", "World War II"),
        ("Battle of Verdun", "World War I"),
        ("Battle of Gettysburg", "American Civil War"),
        ("Northern Song", "Song dynasty"),
        ("Southern Song", "Song dynasty"),
        ("Elizabethan era", "Tudor period"),
        ("Regency era", "Georgian era"),
        ("Cuban Missile Crisis", "Cold War"),
        ("Apollo 11 mission", "Space Race"),
    ]:
        assert BY_NAME[part].span in BY_NAME[whole].span, part


# ---------------------------------------------------------------- a table of one's own


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('name = "A"\nspan = "soonish"\nkind = "war"', "soonish"),
        ('name = "A"\nspan = "1998"\nkind = "party"', "'party' is no kind"),
        ('name = "A"\nkind = "war"', "no field 'span'"),
        ('name = "A"\nspan = "1998"\nkind = "war"\nalias = []', "unknown field 'alias'"),
    ],
)
def test_a_bad_row_is_named_with_its_line(tmp_path: Path, row: str, problem: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'[[event]]\nname = "Good"\nspan = "1999"\nkind = "other"\n\n[[event]]\n{row}\n', encoding="utf-8")
    with pytest.raises(TableError, match=problem) as caught:
        read_events(path)
    assert caught.value.line == 6


def test_a_finder_over_own_events() -> None:
    finder = EventFinder([Event("Great Move", Span.parse("2011-05"), "other")])
    assert [found.value for found in finder.tag("before the Great Move of World War II")] == ["2011-05"]


# ---------------------------------------------------------------- the finder


def found(text: str) -> list[tuple[str, str]]:
    return [(expr.text, expr.value) for expr in FINDER.tag(text)]


def test_it_is_a_tagger() -> None:
    assert isinstance(FINDER, Tagger)
    assert FINDER.tag("") == FINDER.find("") == []
    assert FINDER.candidates("") == FINDER.candidates("no such thing") == ()


def test_offsets_are_those_of_the_text() -> None:
    text = "Ünder the “Hundred Years’ War”, after 安史之乱 and\nthe Dot-com\nbubble: Sarbanes–Oxley Act."
    exprs = FINDER.tag(text)
    assert [expr.text for expr in exprs] == ["Hundred Years’ War", "安史之乱", "Dot-com\nbubble", "Sarbanes–Oxley Act"]
    assert all(text[expr.start_char : expr.end_char] == expr.text for expr in exprs)
    assert all(expr.kind == "DATE" and expr.span == Span.parse(expr.value) for expr in exprs)


def test_the_longest_name_wins() -> None:
    assert found("the Brexit referendum") == [("Brexit referendum", "2016-06-23")]
    assert found("the First Opium War")[0][0] == "First Opium War"
    assert found("五代十国时期") == [("五代十国时期", "0907/0979")]


@pytest.mark.parametrize(
    "text",
    [
        "world war ii",
        "the vietnam war",
        "a depression",
        "they merge",
        "the Red Sox",
        "Brexiteers",
        "subBrexit",
        "due 9/11/2001",
        "on 1/9/11",
        "World\n\nWar II",
        "9 / 11",
        "the Chernobyl Nuclear Museum",
    ],
)
def test_not_found(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("WORLD WAR II ENDS", "World War II"),
        ("the second world war", "World War II"),
        ("the Vietnam war", "Vietnam War"),
        ("post-9/11 law", "September 11 attacks"),
        ("the Roman empire", "Roman Empire"),
        ("the Belle Epoque", "Belle Époque"),
        ("the dot com bubble", "dot-com bubble"),
        ("World War II's end", "World War II"),
        ("清朝末年", "Qing dynasty"),
    ],
)
def test_ways_to_write(text: str, name: str) -> None:
    assert [mention.event and mention.event.name for mention in FINDER.find(text)] == [name]


def test_weak_names_are_trusted_less() -> None:
    assert [expr.confidence for expr in FINDER.tag("World War II came after the Depression.")] == [0.6, 0.4]


def test_an_ambiguous_name_is_left_alone() -> None:
    (mention,) = FINDER.find("at the Beijing Olympics")
    assert mention.event is None
    assert mention.to_expression() is None
    assert [event.name for event in mention.candidates] == ["2008 Summer Olympics", "2022 Winter Olympics"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("the 2008 Beijing Olympics", "2008-08-08/2008-08-24"),
        ("the Beijing Olympics in 2022", "2022-02-04/2022-02-20"),
        ("the Beijing Olympics (2008)", "2008-08-08/2008-08-24"),
        ("the Tokyo Olympics in 2020", "2021-07-23/2021-08-08"),
        ("the Treaty of Paris of 1783", "1783-09-03"),
        ("the 1899 Boer War", "1899-10-11/1902-05-31"),
        ("2012年的伦敦奥运会", "2012-07-27/2012-08-12"),
    ],
)
def test_a_year_beside_it_resolves_an_ambiguous_name(text: str, value: str) -> None:
    assert [expr.value for expr in FINDER.tag(text)] == [value]


def test_a_year_that_resolves_nothing() -> None:
    assert found("the Beijing Olympics in 1999") == found("the Boer War of 1850") == found("the 1936 Olympics") == []


def test_steps_grow_with_the_text_only() -> None:
    class Counting(dict):  # type: ignore[type-arg]
        steps = 0

        def get(self, key: str, default: object = None) -> object:
            Counting.steps += 1
            return super().get(key, default)

    finder = EventFinder(load_events())
    stack = [finder._names.get(first) for first in finder._names._index]
    while stack:
        node = stack.pop()
        stack += node.children.values()
        node.children = Counting(node.children)

    def steps(text: str) -> int:
        Counting.steps = 0
        finder.find(text)
        return Counting.steps

    for text in ("the first battle of the ", "World War ", "Treaty of Paris in the reign of Louis ", "唐朝的皇帝"):
        small, large = steps(text * 50), steps(text * 500)
        assert large <= 10 * small + 100  # the ends of the text cost a few steps more or less
        assert large <= 8 * 500 * len(text.split() if " " in text else text)


# ---------------------------------------------------------------- anchors


def anchors(text: str) -> list[tuple[str, str]]:
    exprs = resolve_anchor(text, FINDER.find(text))
    assert all(text[expr.start_char : expr.end_char] == expr.text and expr.confidence == 0.4 for expr in exprs)
    return [(expr.text, expr.value) for expr in exprs]


def test_the_war_named_last_is_meant() -> None:
    text = "The Korean War and the Vietnam War. After the war came debt."
    assert anchors(text) == [("the war", "1955-11-01/1975-04-30")]
    assert anchors("COVID-19 pandemic. Sales before the pandemic fell.") == [("the pandemic", "2019-12/2023-05-05")]


@pytest.mark.parametrize(
    "text",
    [
        "Before the war, all was well. Then World War II came.",
        "The Boer War was long. After the war he left.",
        "World War II. After the war in Korea he left.",
        "World War II. The war was long.",
        "World War II. During the War on Terror he left.",
        "Battle of Waterloo. After the war he left.",
    ],
)
def test_what_stays_unresolved(text: str) -> None:
    assert anchors(text) == []


def test_post_war_and_chinese_words_take_up_a_war_too() -> None:
    assert anchors("World War I. Post-war prices fell, pre-war debts stayed.") == [
        ("war", "1914-07-28/1918-11-11"),
        ("war", "1914-07-28/1918-11-11"),
    ]
    assert anchors("抗日战争爆发。战后，他回到上海。") == [("战", "1937-07-07/1945-09-02")]
    assert anchors("抗日战争爆发。决战前，他离开。") == []


def test_tag_takes_up_what_was_named() -> None:
    text = "He fought in the Crimean War in 1854. After the war he farmed."
    found = [(item.text, item.confidence) for item in tag(text, implicit=True)]
    assert [name for name, _ in found] == ["Crimean War", "1854", "the war"]
    assert dict(found)["the war"] < dict(found)["Crimean War"]
    assert "the war" not in [item.text for item in tag(text)]


def test_values_are_those_of_timex3() -> None:
    (found,) = FINDER.tag("The Qin dynasty fell.")
    assert found.value == "BC0221/BC0206"
