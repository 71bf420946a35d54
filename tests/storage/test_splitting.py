from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from epochal.errors import EpochalError
from epochal.storage.text import split, units

Places = list[tuple[int, int]]

#: Texts made of what matters to the splitter: ends of sentences, breaks, letters, wide characters, marks.
ALPHABET = "ab.A1 .!?;。！？；…\n\r\t\u2028\u3000\"')」漢字かu\u0301,，"
texts = st.one_of(st.text(ALPHABET, max_size=200), st.text(max_size=60))
long_texts = st.lists(texts, max_size=30).map("".join)


def wide(text: str) -> int:
    return len(re.findall("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\u3041-\u30ff\uac00-\ud7a3]", text))


def check_cover(text: str, places: Places) -> None:
    """In order, without overlap, no whitespace at the edges, and nothing but whitespace left out."""
    at = 0
    for start, end in places:
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize("divide", [units, split, lambda text: split(text, 16)])
@given(long_texts)
@example("")
@example(" \n\u3000 ")
@example("x")
@example("a" * 45 + "\r\nb")
@example("e" + "\u0301" * 3000)
def test_every_character_is_covered_once(divide: Callable[[str], Places], text: str) -> None:
    places = divide(text)
    check_cover(text, places)
    assert divide(text) == places


@given(long_texts, st.integers(16, 200))
def test_no_passage_is_longer_than_asked(text: str, size: int) -> None:
    for start, end in split(text, size):
        passage = text[start:end]
        assert len(passage) + 1.5 * wide(passage) <= size


@given(texts)
def test_a_short_text_is_one_passage(text: str) -> None:
    stripped = text.strip()
    if len(stripped) <= 400:
        assert len(split(text, 1000)) == bool(stripped)


@given(long_texts, st.integers(16, 200))
def test_neighbours_would_not_fit_together(text: str, size: int) -> None:
    """Passages are as long as can be: two in a row are longer than one may be, unless a blank line parts them."""
    places = split(text, size)
    for (start, left_end), (right_start, end) in pairwise(places):
        gap = text[left_end:right_start]
        if "\n" not in gap and "\u2028" not in gap and "\u2029" not in gap and len(gap) < 2:
            passage = text[start:end]
            assert len(passage) * 2.5 > size


def test_passages_end_with_sentences() -> None:
    sentences = [f"Sentence number {number} tells of the year {1900 + number}." for number in range(100)]
    text = " ".join(sentences)
    places = split(text)
    assert len(places) == -(-len(text) // 1000)
    assert all(text[start:end].endswith(".") and text[start] == "S" for start, end in places)
    assert min(end - start for start, end in places) > 250


def test_passages_prefer_blank_lines() -> None:
    paragraph = "Word after word goes on and on. " * 20
    text = f"{paragraph}\n\n{paragraph}"
    assert [text[start:end] for start, end in split(text)] == [paragraph.strip()] * 2


def test_a_text_that_grew_keeps_its_passages() -> None:
    text = " ".join(f"Sentence {number} is here to stay." for number in range(400))
    before, after = split(text), split(text + " Another one came." * 40)
    assert after[: len(before) - 2] == before[:-2]


def test_a_short_rest_shares_with_the_passage_before() -> None:
    sentence = "A" * 98 + "."
    text = " ".join([sentence] * 11)  # ten fit, one is left over
    lengths = [end - start for start, end in split(text)]
    assert len(lengths) == 2
    assert max(lengths) - min(lengths) <= 100


def test_wide_scripts_have_shorter_passages() -> None:
    text = "春王正月公即位。" * 200
    places = split(text)
    assert all(300 <= end - start <= 440 for start, end in places)
    assert all(text[end - 1] == "。" for _, end in places)


def test_long_units_are_cut_at_spaces_then_hard() -> None:
    text = "word " * 1000
    assert all(text[start:end].startswith("word") and text[end - 1] == "d" for start, end in split(text))
    assert split("x" * 2500) == [(0, 1000), (1000, 2000), (2000, 2500)]
    accented = "e\u0301" * 2001
    assert all(accented[start] == "e" for start, _ in split(accented, 101))


def test_too_small_a_size_is_refused() -> None:
    with pytest.raises(EpochalError, match="at least 16 characters, but is 3"):
        split("x", 3)


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith and Mrs. Jones met Prof. J. R. R. Tolkien. | They spoke.",
        "He left the U.S. Army at 5 p.m. on Friday. | It rained.",
        "He lived in the U.S. | The army came.",
        "A. A. Milne wrote it. | A boy read it.",
        "No. 5 was sold on Jan. 5, 1998. | He said No. | Then he went.",
        "Built c. 1650, see p. 12 and vol. 3. | It stands.",
        "It cost 3.14 and fell by .5 on example.com today. | Good.",
        "Wait... and see. | Wait... | Then go!",
        '"What?" he asked. | "Go!" | They went (at last.) | Yes.',
        "first; | second; | third",
        "1. First item | 2. Second item",
        "It was 1998. | In 1999 it ended.",
        "World War I. | She wept. | Elizabeth I. | He came.",
        "Newton D . Baker House , in D.C. . | Built in 1794 , it stands . | He died .",
        "Smith et al. wrote it, cf. Jones vs. Brown etc. and so on. | End.",
        "真的吗?|他说3.5元。|好！|“走！”|他走了；|明天",
        "Really?! | Yes!!! | No…",
        "born: 1845\ndied: 1900".replace("\n", " | "),
    ],
)
def test_units(text: str) -> None:
    """`|` marks where a unit ends."""
    wanted = [part.strip() for part in text.split("|")]
    numbered = text.startswith("1. ") or text.startswith("born")
    joined = "\n".join(wanted) if numbered else text.replace(" | ", " ").replace("|", "")
    assert [joined[start:end] for start, end in units(joined)] == wanted


def test_lines_end_units_but_wrapped_paragraphs_do_not() -> None:
    wrapped = (
        "The committee that had been meeting since the spring of\n"
        "1998, whose members were all old, agreed on nothing at\n"
        "all."
    )
    for newline in ("\n", "\r\n"):
        text = wrapped.replace("\n", newline)
        parts = [text[start:end] for start, end in units(text)]
        assert len(parts) == 2  # a line that starts with a figure may be a list
        assert parts[1].endswith(f"at{newline}all.")
    assert len(units("born 1845\ndied 1900")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000_000,
        "\n" * 1_000_000,
        "." * 2_000_000,
        "." + ")" * 2_000_000,
        "!" * 2_000_000 + "a",
        " " * 10_000_000,
        (". " + " " * 1000 + "a") * 2000,
        "e" + "\u0301" * 1_000_000,
        "漢" * 1_000_000,
    ],
    ids=lambda text: repr(text[:4]),
)
def test_hard_texts_take_no_longer_than_their_length(text: str) -> None:
    """Quadratic work on any of these would take hours, not a second."""
    check_cover(text[:1000], units(text[:1000]))
    places = split(text)
    assert sum(end - start for start, end in places) >= len(text.strip()) // 1002
    assert len(places) <= len(text) // 300 + 1
