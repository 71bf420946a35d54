"""The notation of grammars: what patterns compile to, what is said of wrong ones, and with which codes they start."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.reading.grammar import Grammar, GrammarError, Rule, code_words, join_classes

CLASSES = {"MONTH": "M", "YEAR": "Y", "NUMBER": "n", "ORDINAL": "o", "IN": "i", "of": "f", ",": ",", "-": "-", "^": "^"}
MACROS = {"DAY": "NUMBER | ORDINAL", "DATE": 'DAY "of"? MONTH | MONTH DAY', "DATES": "DATE{2}"}
WORDS = {"MONTH": {"may": 5, "june": 6}, "IN": "in on at during until", "of": "of"}


def grammar(*patterns: str) -> Grammar:
    rules = [Rule(f"rule{number}", pattern, "", None) for number, pattern in enumerate(patterns)]
    return Grammar(CLASSES, MACROS, rules, words=WORDS)


@pytest.mark.parametrize(
    ("pattern", "regex"),
    [
        ('MONTH DAY ","? YEAR', "M[no],?Y"),
        ('"of"', "f"),
        ("MONTH?YEAR*NUMBER+", "M?Y*n+"),
        ("MONTH{2} YEAR{0,6}", "M{2}Y{0,6}"),
        ("MONTH YEAR | NUMBER | ORDINAL | YEAR", "MY|[noY]"),
        ('("," | "-" | "^")', r"[,\-\^]"),
        ("(MONTH YEAR)? NUMBER", "(?:MY)?n"),
        ("(MONTH YEAR | NUMBER) ORDINAL", "(?:MY|n)o"),
        ("(MONTH?)? YEAR", "(?:M?)?Y"),
        ("DATE YEAR", "(?:[no]f?M|M[no])Y"),
        ("DATES", "(?:[no]f?M|M[no]){2}"),
        ("~MONTH ~(MONTH | YEAR) ANY", "[^M][^MY]."),
        ("MONTH !(YEAR | DATE) &NUMBER ANY", "M(?!Y|[no]f?M|M[no])(?=n)."),
        ("<(MONTH DAY) YEAR", "(?<=M[no])Y"),
        ("<!MONTH YEAR | <(MONTH YEAR | DAY YEAR) YEAR", "(?<!M)Y|(?<=MY|[no]Y)Y"),
        (" \n MONTH\n YEAR ", "MY"),
    ],
)
def test_patterns_compile_to_regular_expressions_over_codes(pattern: str, regex: str) -> None:
    assert grammar().compile(pattern).pattern == regex


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("MONTH YAER", "rule 'rule0', character 7: no class or macro is called YAER; nearest: YEAR"),
        ('MONTH "during"', 'character 7: "during" has no class of its own but is one of IN (in, on, at, during, ...)'),
        ('"may"', 'character 1: "may" has no class of its own but is one of MONTH (may, june); write MONTH'),
        ('"soon"', 'character 1: "soon" is no class; give the word a class of its own in the lexicon'),
        ('"MONTH"', 'character 1: "MONTH" is no class'),
        ("", "character 1: expected a class, a quoted word or '(', found the end"),
        ("MONTH |", "character 8: expected a class, a quoted word or '(', found the end"),
        ("MONTH ( ) YEAR", "character 9: expected a class, a quoted word or '(', found ')'"),
        ("? MONTH", "character 1: expected a class, a quoted word or '(', found '?'"),
        ("MONTH !", "character 8: expected a class, a quoted word or '(', found the end"),
        ("MONTH (YEAR", "character 7: '(' is not closed; expected ')' further on"),
        ("MONTH) YEAR", "character 6: ')' closes no parenthesis; expected the end or another item"),
        ("MONTH??", "character 7: '?' repeats what is repeated already; put that in parentheses"),
        ("!MONTH? YEAR", "character 7: '?' cannot repeat what takes no token"),
        ("(MONTH?)*", "character 9: '*' repeats without end what may be empty; at least one item must be there"),
        ("MONTH{3,2}", "character 6: {3,2} repeats nothing; accepted: {2} or {0,6}, the smaller number first"),
        ("MONTH{,2}", "character 6: '{' is not part of the notation; accepted: NAMES,"),
        ("month", "character 1: 'm' is not part of the notation; accepted: NAMES,"),
        ("~DATE", "character 1: '~' must stand before a class or a choice of classes"),
        ('YEAR <(MONTH ","?) YEAR', "character 6: '<' must stand before items of one length, not of 1 to 2"),
        ("YEAR <!(MONTH*) YEAR", "character 6: '<!' must stand before items of one length, not of 0 to any number"),
        ("MONTH? YEAR?", "rule 'rule0' can match no token at all; at least one item must be there"),
        ("!MONTH", "rule 'rule0' can match no token at all; at least one item must be there"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_place_and_what_is_accepted(pattern: str, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        grammar(pattern).start("M")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("classes", "macros", "message"),
    [
        (
            {"YEAR": "Y", "MONTH": "Y"},
            {},
            "the class MONTH has the code 'Y' of YEAR; a class has a name and a character",
        ),
        ({"YEAR": "YY"}, {}, "the class YEAR has the code 'YY'; a class has a name and a character of its own"),
        ({"YEAR": "Y"}, {"YEAR": "YEAR"}, "the macro 'YEAR' needs another name"),
        ({"YEAR": "Y"}, {"year": "YEAR"}, "the macro 'year' needs another name"),
        ({"YEAR": "Y"}, {"ONE": "TWO", "TWO": "YEAR"}, "macro ONE, character 1: no class or macro is called TWO"),
    ],
)
def test_wrong_classes_and_macros_are_refused(classes: dict[str, str], macros: dict[str, str], message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        Grammar(classes, macros, []).compile("YEAR")
    assert message in str(caught.value)


def test_a_word_has_one_class_that_exists() -> None:
    assert code_words(CLASSES, WORDS)["during"] == "i"
    with pytest.raises(GrammarError, match="the word 'may' is in two classes, MONTH and IN; it can be in one"):
        code_words(CLASSES, {"MONTH": "may", "IN": "in may"})
    with pytest.raises(GrammarError, match="the lexicon lists words of MONHT, which is no class; nearest: MONTH"):
        code_words(CLASSES, {"MONHT": "may"})


def test_the_trigger_is_a_pattern_too() -> None:
    trigger = Grammar(CLASSES, MACROS, [], f"{join_classes(['MONTH', 'of'])} | IN YEAR").trigger
    assert [match.span() for match in trigger.finditer("iiYiMfY")] == [(1, 2), (4, 5), (5, 6)]


#: Without end only what takes one token: nested endless repetitions take a time that doubles with each token.
ATOMS = ["MONTH", "YEAR", "NUMBER", '"of"', '","', "DAY", "DATE", "~YEAR", "ANY", "YEAR*", "~MONTH*", "DAY+"]


def combine(items: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} {}){}".format, items, items, st.sampled_from(["", "?", "{0,2}"])),
        st.builds("({} | {}){}".format, items, items, st.sampled_from(["", "?", "{2}"])),
        st.builds("{}({}) {}".format, st.sampled_from("!&"), items, items),
        st.builds(
            "{}({}) {}".format, st.sampled_from(["<", "<!", "~"]), st.sampled_from(["MONTH", "YEAR | IN"]), items
        ),
    )


patterns = st.recursive(st.sampled_from(ATOMS), combine, max_leaves=6)
texts = st.text(st.sampled_from(sorted(CLASSES.values())), max_size=6)


@given(st.lists(patterns, min_size=1, max_size=3), st.lists(texts, min_size=1, max_size=8))
def test_a_match_starts_with_a_code_of_the_first_set_and_the_first_rule_that_fits_wins(
    written: list[str], strings: list[str]
) -> None:
    # Patterns that may match nothing are no rules: one more token makes them some.
    rules = grammar(*(f"({pattern}) MONTH" for pattern in written))
    for codes in strings:
        for place, code in enumerate(codes):
            matches = [pattern.match(codes, place) for _, pattern in rules.rules]
            for number, match in enumerate(matches):
                assert match is None or code in rules.first_codes(number)
            start = rules.starts[code]
            together = start and start.pattern.match(codes, place)
            if not any(matches):
                assert together is None
                continue
            number = next(number for number, match in enumerate(matches) if match)
            assert start is not None
            assert together is not None
            assert together[0] == matches[number][0]  # type: ignore[index]
            assert start.rules[together.lastindex - 1] == rules.rules[number]
