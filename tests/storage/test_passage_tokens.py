"""The tokens of passages, read batch by batch, are those that each passage has when it is read by itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from epochal.storage import passage_tokens
from epochal.storage.contexts import MOST, encode_token, find_contexts
from epochal.storage.passage_tokens import TokenReader
from epochal.storage.records import TITLE
from epochal.storage.text import analyse

Passage = tuple[str, str, list[int]]

PIECES = (
    "The king's ships |in 1998. |St. Ives; |日有食之。|ภาษาไทย |Ünïcode naïve CAFÉ |U.S.\n|x_y-z |\0\1\2\x1c|"
    "½ ⅷ ⑴ ǅ ß ﬁ |"
    f"{'w' * 99} |{'w' * 100} |{'é' * 60} |क्षि मुख्‍य |\u200b\u00a0\u3000|K Å İstanbul |\ud83d |the The THE |\n\n|"
).split("|")
passages = st.lists(
    st.tuples(
        st.sampled_from([*PIECES, ""]) | st.text(max_size=12),
        st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=12).map("".join),
        st.lists(st.integers(TITLE, 60), max_size=4),
    ),
    max_size=8,
)


def read_one_by_one(drawn: Sequence[Passage], first: int) -> dict[str, list[Any]]:
    """The columns as their description has it."""
    columns: dict[str, list[Any]] = {
        name: []
        for name in (
            "tokens",
            "tokens.count",
            "passages.token",
            "passages.title_tokens",
            "passages.length",
            "content.token",
            "content.tokens",
        )
    }
    for title, text, starts in drawn:
        around = find_contexts(text, starts) if starts else []
        titled = list(dict.fromkeys(analyse(title)))
        own, everything, runs, rest, done = list(titled), analyse(title), {}, "", 0
        for low, high in sorted(set(around) - {(0, len(text))}):
            tokens = analyse(text[low:high])
            runs[low, high] = len(own), len(set(tokens))
            own += dict.fromkeys(tokens)
            everything += tokens
            rest, done = f"{rest}{text[done:low]}\n", high
        tokens = analyse(rest + text[done:])
        everything += tokens
        own += [token for token in dict.fromkeys(tokens) if not runs or token not in own]
        totals = Counter(everything)
        columns["passages.token"].append(first + len(columns["tokens"]))
        columns["passages.title_tokens"].append(len(titled))
        columns["passages.length"].append(len(everything))
        columns["tokens"] += map(encode_token, own)
        columns["tokens.count"] += [min(totals.pop(token, 0), MOST) for token in own]
        for run in around:
            place, size = runs.get(run, (0, len(own)))
            columns["content.token"].append(place)
            columns["content.tokens"].append(size)
    return columns


def check_read(reader: TokenReader, drawn: Sequence[Passage], first: int) -> None:
    drawn = [(title, text, [min(at, len(text)) for at in starts]) for title, text, starts in drawn]
    starts = [at for *_, own in drawn for at in own]
    read = reader.read([item[:2] for item in drawn], [len(item[2]) for item in drawn], starts, first)
    assert {name: column.tolist() for name, column in read.columns.items()} == read_one_by_one(drawn, first)
    assert [Counter(body.split()) for body in read.bodies] == [
        Counter(analyse(f"{title}\n{text}")) for title, text, _ in drawn
    ]


@given(passages, passages)
@example([], [("", "", []), ("\1", "\2", [0]), ("a\1", "", [])])
@example([("a b", "a king. a king in 1998. a ship", [3, 14, TITLE])], [("", "one two one", [])])
def test_batches_have_the_tokens_of_their_passages(before: list[Passage], drawn: list[Passage]) -> None:
    reader = TokenReader()
    check_read(reader, before, 0)
    check_read(reader, drawn, 7)


@pytest.mark.parametrize("limit", ["_AT_ONCE", "_REMEMBERED"])
def test_small_parts_make_no_difference(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(passage_tokens, limit, 40)
    rng = random.Random(5)
    drawn = [
        (rng.choice(PIECES), "".join(rng.choices(PIECES, k=rng.randint(0, 9))), rng.choices(range(20), k=3))
        for _ in range(60)
    ]
    check_read(TokenReader(), drawn, 0)


def test_numbers_too_large_for_one_sort_key_are_sorted_by_each() -> None:
    rng = np.random.default_rng(3)
    owners, codes = np.sort(rng.integers(0, 9, 500)), rng.integers(0, 1 << 32, 40)[rng.integers(0, 40, 500)]
    expected = passage_tokens._count_tokens(owners, codes)
    found = passage_tokens._count_tokens(owners + (1 << 31), codes)
    assert [part.tolist() for part in found] == [part.tolist() for part in expected]
