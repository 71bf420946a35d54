"""The encoders that ship with the package: `minilm` and `static`.

`minilm` is all-MiniLM-L6-v2 in eight bits on onnxruntime. Activations are scaled per token and a batch has texts of one
length, so nothing is padded: a text's vector does not depend on the batch (on x86-64 up to its last bit).

`static` is a table of one vector per token, distilled from the same model: fast, and blind to word order. A text's
vector is the normalised sum of its tokens' rows, which are weighted by frequency; `tools/build_encoder.py` builds it.
"""

from __future__ import annotations

import json
import os
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from epochal.encoders.base import (
    UNORDERED,
    EncoderError,
    Vectors,
    check_texts,
    check_vectors,
    unit_rows,
    wrap_model_errors,
)

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Card:
    """What a bundled encoder is: its version, which changes whenever its files do, and the length of its vectors."""

    version: str
    dim: int


def data_file(*parts: str) -> Path:
    """The path of a bundled file; one that is missing is an error."""
    path = _DATA.joinpath(*parts)
    if not path.is_file():
        raise EncoderError(f"{path} is missing from this installation; reinstall epochal")
    return path


@lru_cache(maxsize=8)
def read_card(folder: str) -> Card:
    """The card of a bundled encoder."""
    fields = json.loads(data_file(folder, "card.json").read_text(encoding="utf-8"))
    return Card(fields["version"], fields["dim"])


def load_tokenizer() -> Any:
    """A new WordPiece tokenizer, without padding and truncation."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(data_file("minilm", "tokenizer.json")))


# Models are loaded once per process: indexes that are opened one after another, or side by side, share them.
_LOADING = threading.Lock()


@lru_cache(maxsize=4)
def _load_shared_tokenizer(max_tokens: int | None = None) -> Any:
    tokens = load_tokenizer()
    if max_tokens is not None:
        tokens.enable_truncation(max_tokens)
    return tokens


@lru_cache(maxsize=1)
def _open_shared_model(path: str) -> Any:
    return _open_model(path)


def _open_model(model: str | bytes) -> Any:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = 1
    return InferenceSession(model, options, providers=["CPUExecutionProvider"])


@lru_cache(maxsize=1)
def _load_shared_table(path: Path) -> _Table:
    with np.load(path, allow_pickle=False) as file:
        return _Table(file["rows"], file["scale"])


class _Table(NamedTuple):
    """Vectors of tokens as whole numbers of 8 bits, and what a whole number of each stands for."""

    rows: npt.NDArray[np.int8]
    scale: npt.NDArray[np.float32]

    def take(self, ids: npt.NDArray[np.int64]) -> Vectors:
        """The vectors of tokens."""
        vectors = self.rows.take(ids, axis=0).astype(np.float32)
        vectors *= self.scale.take(ids)[:, None]
        return vectors


#: The model was trained on texts of at most so many tokens, [CLS] and [SEP] included.
MAX_TOKENS = 256
#: Characters beyond these are never read: 256 tokens end long before, and a book need not be tokenised.
_MAX_CHARACTERS = 50_000
#: Texts sorted by length at a time, and tokens computed at a time; larger batches are no faster.
_CHUNK = 2048
_BATCH_TOKENS = 1024


class MiniLM:
    """Sentence vectors of 384 numbers, for English above all; reads the first 256 tokens of a text.

    `threads` is how many batches are computed at a time, one for each core unless given; a single text takes one. The
    model is loaded when the first text is encoded. An encoder may be used by several threads at once, and pickled.
    """

    def __init__(self, threads: int | None = None, max_tokens: int = MAX_TOKENS) -> None:
        if threads is not None and threads < 1:
            raise EncoderError(f"encoder 'minilm': threads is {threads}; give 1 or more, or None")
        if not 3 <= max_tokens <= MAX_TOKENS:
            raise EncoderError(f"encoder 'minilm': max_tokens is {max_tokens}; give 3 to {MAX_TOKENS}")
        self._threads = threads or _count_cores()
        self._max_tokens = max_tokens
        self._loaded: tuple[Any, Any] | None = None

    def __reduce__(self) -> tuple[type[MiniLM], tuple[int, int]]:
        return MiniLM, (self._threads, self._max_tokens)

    @property
    def name(self) -> str:
        """The version of the bundled model, and the length it reads where that is not the usual one."""
        length = "" if self._max_tokens == MAX_TOKENS else f"-{self._max_tokens}"
        return f"minilm-int8-{read_card('minilm').version}{length}"

    @property
    def dim(self) -> int:
        """384."""
        return read_card("minilm").dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text."""
        checked = check_texts(self.name, texts)
        vectors = np.zeros((len(checked), self.dim), np.float32)
        if checked:
            session, tokens = self._load()
            with wrap_model_errors(self.name, "run"):
                for first in range(0, len(checked), _CHUNK):
                    # One text at a time: the tokenizer's own batches start threads, which do not survive a fork.
                    read = [tokens.encode(text[:_MAX_CHARACTERS]).ids for text in checked[first : first + _CHUNK]]
                    batches = list(_make_batches(read, self._threads))
                    ids = [np.array([read[row] for row in rows], np.int64) for rows in batches]
                    for rows, computed in zip(batches, self._compute_batches(session, ids), strict=True):
                        vectors[np.asarray(rows) + first] = computed
        return check_vectors(self.name, self.dim, len(checked), vectors)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as for documents: this model makes no difference between them."""
        return self.encode_documents(texts)

    def _compute_batches(self, session: Any, batches: list[npt.NDArray[np.int64]]) -> Iterator[Vectors]:
        """The vectors of each batch in order.

        Batches side by side, each on one thread, are faster than one batch on several: nobody waits for another.
        """

        def compute(ids: npt.NDArray[np.int64]) -> Any:
            return session.run(["vectors"], {"input_ids": ids})[0]

        if self._threads == 1 or len(batches) < 2:
            yield from map(compute, batches)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(compute, batches)

    def _get_model(self) -> str | bytes:
        """The file of the model, or its contents; another model of the same shape may take its place."""
        return str(data_file("minilm", "model.int8.onnx"))

    def _load(self) -> tuple[Any, Any]:
        """The session and the tokenizer."""
        with _LOADING, wrap_model_errors(self.name, "loaded"):
            if self._loaded is None:
                model = self._get_model()
                session = _open_shared_model(model) if isinstance(model, str) else _open_model(model)
                self._loaded = session, _load_shared_tokenizer(self._max_tokens)
            return self._loaded


def _make_batches(texts: list[list[int]], threads: int) -> Iterator[list[int]]:
    """Rows of texts with equally many tokens, enough batches to keep all threads busy; empty texts left out."""
    lengths: dict[int, list[int]] = {}
    for row, ids in enumerate(texts):
        if len(ids) > 2:  # more than [CLS] and [SEP]
            lengths.setdefault(len(ids), []).append(row)
    for length, rows in sorted(lengths.items(), reverse=True):
        size = max(1, min(_BATCH_TOKENS // length, -(-len(rows) // threads)))
        yield from (rows[first : first + size] for first in range(0, len(rows), size))


def _count_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


#: Rows of the table added at a time, so that a book needs no more memory than a page.
_ROWS = 4096
#: Rows of the table that several texts take at a time: more do not fit the cache.
_SHARED = 1024


class StaticEncoder:
    """Vectors of 256 numbers from a table; about a hundred times as fast as the model it comes from, and coarser.

    Reads the whole text, however long. The table is loaded when the first text is encoded. An encoder may be used by
    several threads at once, and pickled.
    """

    def __init__(self) -> None:
        self._loaded: tuple[_Table, _TokenReader] | None = None

    def __reduce__(self) -> tuple[type[StaticEncoder], tuple[()]]:
        return StaticEncoder, ()

    @property
    def name(self) -> str:
        """The version of the bundled table."""
        return f"{UNORDERED}{read_card('static').version}"

    @property
    def dim(self) -> int:
        """256."""
        return read_card("static").dim

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, one row a text."""
        checked = check_texts(self.name, texts)
        sums = np.zeros((len(checked), self.dim), np.float32)
        if checked:
            table, reader = self._load()
            with wrap_model_errors(self.name, "run"):
                for low, high in _part_batch(checked):
                    ids, ends = reader.read(checked[low:high])
                    _add_tokens(table, ids, ends, sums[low:high])
        return check_vectors(self.name, self.dim, len(checked), unit_rows(sums))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """The same as for documents."""
        return self.encode_documents(texts)

    def _load(self) -> tuple[_Table, _TokenReader]:
        """The table, and the tokens of parts of texts."""
        with _LOADING, wrap_model_errors(self.name, "loaded"):
            if self._loaded is None:
                self._loaded = _load_shared_table(data_file("static", "table.npz")), _load_shared_reader()
            return self._loaded


class WordTable:
    """The small words that have a vector of their own in the table of the `static` encoder, and how near they are.

    Words that the tokenizer takes to pieces have none: the pieces of two words may be alike without the words.
    """

    def __init__(self) -> None:
        with _LOADING, wrap_model_errors("static", "loaded"):
            self._rows = _load_shared_table(data_file("static", "table.npz")).rows
            vocabulary: dict[str, int] = _load_shared_tokenizer().get_vocab()
        self.ids = {word: id for word, id in sorted(vocabulary.items()) if word.isalpha() and word.isascii()}
        self.words = tuple(self.ids)
        self._places = np.fromiter(self.ids.values(), np.int64)

    def compare(self, word: str) -> Vectors:
        """The cosine of the vector of a word with that of each of the words; 0 for a word that is not there."""
        cosines = np.zeros(len(self.words), np.float32)
        if word in self.ids:
            vector = self._rows[self.ids[word]].astype(np.float32)
            vector /= np.sqrt(vector @ vector) or 1.0
            for low in range(0, len(self._places), _WORDS):
                part = self._rows.take(self._places[low : low + _WORDS], axis=0).astype(np.float32)
                lengths = np.sqrt(np.einsum("ij,ij->i", part, part))
                cosines[low : low + _WORDS] = part @ vector / np.where(lengths > 0, lengths, 1.0)
        return cosines


@lru_cache(maxsize=1)
def load_words() -> WordTable:
    """The table of words, made once."""
    return WordTable()


def _add_tokens(table: _Table, ids: npt.NDArray[np.int64], ends: list[int], sums: Vectors) -> None:
    """Put the sums of the vectors of texts, of each of which the tokens end at one of `ends`, into `sums`."""
    row = start = 0
    while row < len(ends):
        last = bisect_right(ends, start + _SHARED)
        if last == row:  # a long text is added by itself
            for first in range(start, ends[row], _ROWS):
                sums[row] += np.add.reduce(table.take(ids[first : min(first + _ROWS, ends[row])]))
            last = row + 1
        else:
            vectors = table.take(ids[start : ends[last - 1]])
            low = 0
            for text in range(row, last):
                high = ends[text] - start
                np.add.reduce(vectors[low:high], out=sums[text])
                low = high
        row, start = last, ends[last - 1]


#: Characters of texts that are read at a time, unless one text has more, and of parts whose tokens are remembered.
_AT_ONCE = 1 << 18
_REMEMBERED = 1 << 19
#: Marks that the tokenizer parts from the words around them, whatever these are: the commonest ones.
_APART = [(mark, f" {mark} ") for mark in ",.'\"-()"]


#: Words whose vectors are compared at a time.
_WORDS = 4096


def _part_batch(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    low = size = 0
    for high, text in enumerate(texts):
        if size and size + len(text) > _AT_ONCE:
            yield low, high
            low, size = high, 0
        size += len(text)
    yield low, len(texts)


@lru_cache(maxsize=1)
def _load_shared_reader() -> _TokenReader:
    return _TokenReader(_load_shared_tokenizer())


class _TokenReader:
    """Reads the tokens of texts by parts that blanks part from others: no token reaches across a blank.

    Most texts share their words, so the tokens of parts are remembered until there are too many.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, tuple[int, ...]] = {"": ()}
        self._size = 0

    def read(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], list[int]]:
        """The tokens of all texts, and where those of each text end."""
        parts: list[str] = []
        ends = []
        for text in texts:
            # Capitals are small letters to the tokenizer, but for those of special tokens such as [CLS].
            plain = text.lower() if text.isascii() and "[" not in text else text
            for mark, apart in _APART:
                plain = plain.replace(mark, apart)
            parts += plain.split(" ")
            ends.append(len(parts))
        if self._size > _REMEMBERED:  # other threads may still read the old ones
            self._known, self._size = {"": ()}, 0
        known = self._known
        missing = list(set(parts).difference(known))
        if missing:
            self._size += sum(map(len, missing))
            known.update(self._read_parts(missing))
        tokens = list(map(known.__getitem__, parts))
        ids = np.fromiter(chain.from_iterable(tokens), np.int64)
        counts = list(accumulate(map(len, tokens)))
        return ids, [counts[end - 1] for end in ends]

    def _read_parts(self, parts: Sequence[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The tokens of parts."""
        # As one text: the tokenizer's own batches start threads, which do not survive a fork.
        encoding = self._tokenizer.encode(" ".join(parts), add_special_tokens=False)
        ids, starts = encoding.ids, [start for start, _ in encoding.offsets]
        low = end = 0
        for part in parts:
            end += len(part) + 1
            high = bisect_left(starts, end, low)
            yield part, tuple(ids[low:high])
            low = high
