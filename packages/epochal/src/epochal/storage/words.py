"""The word index: BM25 (k1 1.2, b 0.75) over the passages, by tantivy.

Every state is a folder of its own that shares its large files with the previous one by hard links, so readers never see
a folder change. Rows of deleted documents are skipped in every result but count in document frequencies until the index
is compacted. So the same rows give the same scores, however they were added.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from epochal.errors import EpochalError, StorageError
from epochal.storage.columns import Extent
from epochal.storage.protocol import Ranked, Rows
from epochal.storage.text import analyse, analyser, spread

if TYPE_CHECKING:
    import tantivy

__all__ = ["MOST_TERMS", "WordBuilder", "WordSearcher", "word_files"]

#: Of a query with more distinct words than this that occur in the index, the rarest are used.
MOST_TERMS: Final = 1024

_Scored: TypeAlias = "tuple[Rows, npt.NDArray[np.float64]]"

_TOKENIZER: Final = "epochal"
_MEMORY: Final = 128_000_000
#: Of a restriction to more than this share of all rows the matches are filtered; of a smaller one, looked up.
_LARGE_SHARE: Final = 0.1
#: Rows that lie in no more runs than this are looked up run by run; and so many or fewer one by one.
_FEW_RUNS: Final = 8
_FEW_ROWS: Final = 400


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", stored=False, indexed=True, fast=True)
    builder.add_text_field("body", stored=False, tokenizer_name=_TOKENIZER, index_option="freq")
    return builder.build()


def _is_lock(name: str) -> bool:
    return name.endswith(".lock")


class WordBuilder:
    """A new state of the word index, in a new folder: that of another folder, if one is given, and what is added."""

    def __init__(self, folder: Path, previous: Path | None) -> None:
        import tantivy

        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if previous is not None:
            _share(previous, folder)
        self._schema = _schema()
        try:
            self._index = tantivy.Index(self._schema, str(folder))
            self._index.register_tokenizer(_TOKENIZER, analyser())
            self._writer: tantivy.IndexWriter | None = self._index.writer(_MEMORY, num_threads=1)
        except ValueError as error:
            raise OSError(str(error)) from error

    def __enter__(self) -> WordBuilder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer = None  # its threads end with it

    def add(self, row: int, body: str) -> None:
        """Count the words of a passage."""
        import tantivy

        writer = self._open()
        try:
            writer.add_document(tantivy.Document.from_dict({"row": row, "body": spread(body)}, self._schema))
        except ValueError as error:
            raise OSError(str(error)) from error

    def finish(self) -> None:
        """Write everything; nothing can be added after."""
        writer = self._open()
        try:
            writer.commit()
            writer.wait_merging_threads()
        except ValueError as error:
            raise OSError(str(error)) from error
        finally:
            self._writer = None

    def _open(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise StorageError("the words were written already; nothing can be added to them")
        return self._writer


def _share(previous: Path, folder: Path) -> None:
    for file in previous.iterdir():
        if _is_lock(file.name):
            continue
        if file.suffix == ".json":
            shutil.copyfile(file, folder / file.name)
            continue
        try:
            os.link(file, folder / file.name)
        except OSError:  # a file system without hard links
            shutil.copyfile(file, folder / file.name)


def word_files(folder: Path, known: Mapping[str, Extent]) -> dict[str, Extent]:
    """The files of a state and their checksums; those of segments, which never change, are taken over when `known`."""
    files = {}
    for file in sorted(folder.iterdir()):
        if _is_lock(file.name):
            continue
        if file.suffix != ".json" and file.name in known:
            files[file.name] = known[file.name]
        else:
            written = file.read_bytes()
            files[file.name] = Extent(len(written), zlib.crc32(written))
    return files


class WordSearcher:
    """Searches one state of the word index."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._schema = _schema()
        # tantivy makes a file to lock in whatever folder it reads. Where it may not, it reads through links.
        if not os.access(folder, os.W_OK):
            borrowed = Path(tempfile.mkdtemp(prefix="epochal-words-"))
            weakref.finalize(self, shutil.rmtree, borrowed, True)
            for file in folder.iterdir():
                if not _is_lock(file.name):
                    os.symlink(file.resolve(), borrowed / file.name)
            folder = borrowed
        try:
            index = tantivy.Index.open(str(folder))
            index.config_reader(reload_policy="manual")
            index.register_tokenizer(_TOKENIZER, analyser())
            self._searcher = index.searcher()
        except ValueError as error:
            raise OSError(str(error)) from error

    @property
    def row_count(self) -> int:
        """How many rows were added."""
        return self._searcher.num_docs

    def document_frequency(self, tokens: Iterable[str]) -> dict[str, int]:
        """In how many rows each token occurs."""
        return {token: self._searcher.doc_freq("body", token) for token in dict.fromkeys(tokens)}

    def words(self, query: str, k: int, rows: Rows | None = None) -> Ranked:
        """The k rows with the highest BM25; see `View.words`. `rows` must ascend."""
        if k < 1:
            raise EpochalError(f"k must be at least 1, but is {k}")
        asked = self._query(query)
        total = self.row_count
        if asked is None or not total or (rows is not None and not len(rows)):
            return Ranked(np.empty(0, np.int64), np.empty(0))
        if rows is None or len(rows) > _LARGE_SHARE * total:
            return _ranked(*self._filtered(asked, k, rows), k)
        # Looking up a row that lies apart costs about as much as five matches that are filtered; how many those must be
        # is guessed.
        is_costly = k * total < 5 * len(rows) ** 2 and len(_bounds(rows)) > _FEW_RUNS
        if is_costly and (found := self._filtered(asked, k, rows, once=True)):
            return _ranked(*found, k)
        return _ranked(*self._looked_up(asked, rows), k)

    def word_scores(self, query: str, rows: Rows) -> npt.NDArray[np.float64]:
        """The BM25 of the given rows, in their order; see `View.word_scores`."""
        scores = np.zeros(len(rows))
        asked = self._query(query)
        if asked is None or not len(rows):
            return scores
        wanted, places = np.unique(rows, return_inverse=True)
        if len(wanted) > _LARGE_SHARE * self.row_count:
            found, found_scores = self._hits(asked, self.row_count)
            dense = np.zeros(max(self.row_count, int(wanted[-1]) + 1))
            dense[found] = found_scores
            return dense[rows]
        found, found_scores = self._looked_up(asked, wanted)
        of_wanted = np.zeros(len(wanted))
        of_wanted[np.searchsorted(wanted, found)] = found_scores
        return of_wanted[places.reshape(-1)]

    def _query(self, text: str) -> tantivy.Query | None:
        """Any of the words of a text, each as often as the text has it; None when the index has none of them."""
        import tantivy

        counts = Counter(analyse(text))
        known = {token: found for token, found in self.document_frequency(counts).items() if found}
        if len(known) > MOST_TERMS:
            known = dict(sorted(known.items(), key=lambda item: (item[1], item[0]))[:MOST_TERMS])
        if not known:
            return None
        terms = []
        for token in sorted(known):
            term = tantivy.Query.term_query(self._schema, "body", token, "freq")
            boosted = term if counts[token] == 1 else tantivy.Query.boost_query(term, float(counts[token]))
            terms.append((tantivy.Occur.Should, boosted))
        return tantivy.Query.boolean_query(terms)

    def _hits(self, query: tantivy.Query, limit: int) -> _Scored:
        hits = self._searcher.search(query, limit, count=False).hits
        found, addresses = zip(*hits, strict=True) if hits else ((), ())
        rows = self._searcher.fast_field_values("row", list(addresses))
        scores = np.array(found, dtype=np.float32)
        # The last bits of a sum depend on the order in which words were added up; without them, texts that are alike
        # have one score. Scores are positive, so their bits order them.
        steady = (((scores.view(np.uint32) + np.uint32(8)) >> np.uint32(4)) << np.uint32(4)).view(np.float32)
        return np.array(rows, dtype=np.int64), steady.astype(np.float64)

    def _looked_up(self, query: tantivy.Query, rows: Rows) -> _Scored:
        """All matches among the rows, which ascend."""
        import tantivy

        among = tantivy.Query.const_score_query(self._among(rows), 0.0)
        both = tantivy.Query.boolean_query([(tantivy.Occur.Must, among), (tantivy.Occur.Must, query)])
        return self._hits(both, len(rows))

    def _among(self, rows: Rows) -> tantivy.Query:
        """The query for some rows that costs least: what came in the order of time lies in few runs."""
        import tantivy

        runs = _bounds(rows)
        if len(runs) <= _FEW_RUNS:
            kind = tantivy.FieldType.Unsigned
            parts = [tantivy.Query.range_query(self._schema, "row", kind, first, last) for first, last in runs]
        elif len(rows) <= _FEW_ROWS:
            parts = [tantivy.Query.term_query(self._schema, "row", row, "basic") for row in rows.tolist()]
        else:
            return tantivy.Query.term_set_query(self._schema, "row", rows.tolist())
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])

    @overload
    def _filtered(self, query: tantivy.Query, k: int, rows: Rows | None) -> _Scored: ...
    @overload
    def _filtered(self, query: tantivy.Query, k: int, rows: Rows, once: bool) -> _Scored | None: ...
    def _filtered(self, query: tantivy.Query, k: int, rows: Rows | None, once: bool = False) -> _Scored | None:
        """The best matches that are among the rows: more and more matches are filtered, until k are sure.

        None when `once` filtering was not enough.
        """
        total = self.row_count
        if rows is None:
            kept, limit = None, k + 32
        else:
            kept = np.zeros(max(total, int(rows[-1]) + 1), dtype=np.bool_)
            kept[rows] = True
            limit = int(1.2 * (k + 32) * total / len(rows))
        while True:
            limit = min(limit, total)
            found, scores = self._hits(query, limit)
            exhausted = len(found) < limit or limit == total
            lowest = scores[-1] if len(scores) else 0.0
            if kept is not None:
                inside = kept[found]
                found, scores = found[inside], scores[inside]
            # Of equal scores the lower row is better, so all of those that score like the last one must be known.
            if exhausted or (len(found) >= k and scores[k - 1] > lowest):
                return found, scores
            if once:
                return None
            limit *= 8


def _bounds(rows: Rows) -> list[tuple[int, int]]:
    """The first and the last row of each run without a gap."""
    (breaks,) = np.nonzero(np.diff(rows) > 1)
    firsts, lasts = rows[np.append(0, breaks + 1)], rows[np.append(breaks, len(rows) - 1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def _ranked(rows: Rows, scores: npt.NDArray[np.float64], k: int) -> Ranked:
    order = np.lexsort((rows, -scores))[:k]
    return Ranked(rows[order], scores[order])
