"""The words around a time are those of its sentence and title, as if the texts were read."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.storage.check import check
from epochal.storage.columns import DerivedManifest, read_manifest, write_manifest
from epochal.storage.contexts import ContextSearcher
from epochal.storage.passage_tokens import TokenReader
from epochal.storage.protocol import View
from epochal.storage.records import TITLE, Dating, Document, Entry, Passage
from epochal.storage.store import Store
from epochal.storage.text import analyse, join_heading, units
from epochal.times import Span
from storage.whole import DIM, entry

pieces = st.sampled_from(
    [
        "Rates fell.",
        "the king",
        "In 1998; then",
        "St. Ives",
        "永樂元年。",
        "三月，",
        "日有食之",
        "Café's",
        "\n",
        " ",
        "  ",
        "U.S.",
    ]
)
passages = st.lists(
    st.tuples(
        st.lists(pieces, max_size=3).map(" ".join),
        st.lists(pieces, max_size=9).map("".join),
        st.lists(st.integers(TITLE, 60), max_size=5),
    ),
    max_size=5,
)


_TEXT = "He was born in 1870. The prize was won in 1933; he died in 1953."
LIFE = Entry(
    Document("life", _TEXT, "A life (1933)"),
    (
        Passage(
            0,
            len(_TEXT),
            (
                *(Dating(Span.year(int(_TEXT[at : at + 4])), at, at + 4) for at in (15, 42, 59)),
                Dating(Span.year(1933), TITLE, TITLE),
            ),
        ),
    ),
)


def around(title: str, text: str, at: int | None, others: Sequence[int] = ()) -> set[str]:
    """The words of a context by reading: `at` is where a time begins, or None for all of the passage."""
    begun = [] if at in (None, TITLE) else [unit for unit in units(text) if unit[0] <= at]
    low, high = begun[-1] if begun else (0, len(text))
    stated = any(units(text)[0][0] <= other < units(text)[1][0] for other in others) if len(begun) == 2 else True
    if not stated and begun[0][1] - begun[0][0] <= 60:  # a heading
        low = begun[0][0]
    return {*analyse(title), *analyse(text[low:high])}


def lines(contexts: list[set[str]], tokens: list[str]) -> list[list[bool]]:
    return [[token in context for token in tokens] for context in contexts]


@given(passages)
def test_contexts_are_what_reading_finds(drawn: list[tuple[str, str, list[int]]]) -> None:
    drawn = [(title, text, [min(at, len(text)) for at in starts]) for title, text, starts in drawn]
    starts = [at for *_, own in drawn for at in own]
    columns = TokenReader().read([item[:2] for item in drawn], [len(item[2]) for item in drawn], starts, 0).columns
    searcher = ContextSearcher(columns, columns["content.token"], columns["content.tokens"])
    tokens = sorted({token for title, text, _ in drawn for token in analyse(f"{title} {text}")} | {"unheard"})
    rows = np.repeat(np.arange(len(drawn)), [len(item[2]) for item in drawn])
    expected = lines([around(title, text, at, own) for title, text, own in drawn for at in own], tokens)
    assert searcher.match_contexts(rows, np.arange(len(rows)), tokens).tolist() == expected
    whole = lines([around(title, text, None) for title, text, _ in drawn], tokens)
    assert searcher.match_contexts(np.arange(len(drawn)), np.full(len(drawn), -1), tokens).tolist() == whole


def read(view: View) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[set[str]]]:
    """All contexts of a view by reading its texts: their rows, their places, and their words."""
    rows, places, contexts = [], [], []
    headings = view.get_headings(view.get_document_rows(view.alive))
    titles = {
        row: join_heading(item.title, item.meta, item.series)
        for row, item in zip(view.alive.tolist(), headings, strict=True)
    }
    for place, row in enumerate(view.content.rows.tolist()):
        (passage,) = view.get_passages(np.array([row]))
        rows.append(row)
        places.append(place)
        others = view.content.start_chars[view.content.rows == row].tolist()
        contexts.append(around(titles[row], passage.text, int(view.content.start_chars[place]), others))
    for passage in view.get_passages(view.alive):
        rows.append(passage.row)
        places.append(-1)
        contexts.append(around(titles[passage.row], passage.text, None))
    return np.array(rows), np.array(places), contexts


def test_a_view_knows_them_whatever_was_added_deleted_and_replaced(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        for version in (1, 2):
            store.add([entry(f"d{number}", version, 0) for number in range(0, 30, version)])
            store.delete([f"d{number}" for number in range(0, 30, 7)])
        store.add([LIFE])
        view = store.view()
        rows, places, contexts = read(view)
        tokens = sorted(set().union(*contexts))
        assert view.match_contexts(rows, places, tokens).tolist() == lines(contexts, tokens)
        mine = view.content.rows == view.get_passage_rows(view.find_document_rows(["life"]))[0]
        found = view.match_contexts(view.content.rows[mine], np.flatnonzero(mine), ["life", "born", "prize", "die"])
        assert found.tolist() == [
            [True, True, False, False],
            [True, False, True, False],
            [True, False, False, True],
            [True, True, True, True],
        ]
    assert check(tmp_path).findings == ()


def test_nothing_is_found_of_nothing(tmp_path: Path) -> None:
    none = np.empty(0, dtype=np.int64)
    with Store.create(tmp_path) as store:
        assert store.view().match_contexts(none, none, ["prize"]).shape == (0, 1)
        store.add([entry("d1", 1, 0)])
        assert store.view().match_contexts(np.array([0]), np.array([-1]), []).shape == (1, 0)


def test_words_of_one_code_are_taken_for_each_other() -> None:
    assert zlib.crc32(b"plumless") == zlib.crc32(b"buckeroo")
    columns = TokenReader().read([("", "plumless")], [0], [], 0).columns
    searcher = ContextSearcher(columns, columns["content.token"], columns["content.tokens"])
    found = searcher.match_contexts(np.array([0]), np.array([-1]), ["buckeroo", "ship", "plumless", "buckeroo"])
    assert found.tolist() == [[True, False, True, True]]


def test_derived_files_of_another_version_are_built_again(tmp_path: Path) -> None:
    with Store.create(tmp_path, "test", DIM) as store:
        store.add([entry(f"d{number}", 1) for number in range(9)])
        expected = store.view().match_contexts(np.arange(5), np.full(5, -1), ["titl", "tariff", "king"]).tolist()
    # As the first version left them: without the words around times.
    manifest = DerivedManifest.from_bytes(read_manifest(tmp_path))
    assert manifest is not None
    for name in ("tokens.u4", "passages.token.i8", "content.token.i4"):
        next((tmp_path / "derived").glob(f"set-*/{name}")).unlink()
    told = json.loads(manifest.to_bytes().partition(b"\n")[0])
    told["version"] = 1
    told["columns"] = {name: extent for name, extent in told["columns"].items() if "token" not in name}
    line = json.dumps(told, separators=(",", ":")).encode()
    (tmp_path / "derived" / "current.json").write_bytes(b"%s\n%08x\n" % (line, zlib.crc32(line)))
    assert [finding.what for finding in check(tmp_path, repair=False).findings] == [
        "current.json is of another version"
    ]
    with Store.open(tmp_path) as store:
        assert store.repairs == ["the derived files were of another version and were rebuilt"]
        assert (
            store.view().match_contexts(np.arange(5), np.full(5, -1), ["titl", "tariff", "king"]).tolist() == expected
        )
    with Store.open(tmp_path) as store:
        assert store.repairs == []


@pytest.mark.parametrize(
    "name", ["tokens.u4", "tokens.count.u1", "passages.length.i4", "content.tokens.i4", "passages.title_tokens.i4"]
)
def test_wrong_words_under_a_right_checksum_are_found(tmp_path: Path, name: str) -> None:
    with Store.create(tmp_path) as store:
        store.add([LIFE])
    victim = next((tmp_path / "derived").glob(f"set-*/{name}"))
    victim.write_bytes(bytes(victim.stat().st_size))
    manifest = DerivedManifest.from_bytes(read_manifest(tmp_path))
    assert manifest is not None
    column = name.rpartition(".")[0]
    told = json.loads(manifest.to_bytes().partition(b"\n")[0])
    told["columns"][column][1] = zlib.crc32(victim.read_bytes())
    line = json.dumps(told, separators=(",", ":")).encode()
    listed = DerivedManifest.from_bytes(b"%s\n%08x\n" % (line, zlib.crc32(line)))
    assert listed is not None
    write_manifest(tmp_path, listed)
    report = check(tmp_path)
    expected = []
    if name not in ("content.tokens.i4", "passages.title_tokens.i4"):
        expected.append("the derived files give document 'life' its words in other numbers than it has them")
    if not name.startswith(("tokens.count", "passages.length")):
        expected.append("the derived files give document 'life' other words around its times than it has")
    assert [(finding.what, finding.mended) for finding in report.findings] == [(what, True) for what in expected]
