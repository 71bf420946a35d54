"""Epochal itself as a system, with any scorer, with time or without, documents alone or in sequence; and TREC runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from epochal.api import Index
from epochal.encoders.base import Encoder
from epochal.encoders.registry import DEFAULT
from epochal.encoders.registry import encoder as named_encoder
from epochal.encoders.wrappers import CachedEncoder
from epochal.errors import EpochalError
from epochal.ingest import OrderedReader, Reader, SequenceReader, read_times
from epochal.ranking.registry import load_scorer
from epochal.storage.importers.beir import RunRow, read_run
from epochal.storage.records import Document
from epochal_lab.datasets.records import BenchQuery
from epochal_lab.metrics.measure import Spec
from epochal_lab.systems.base import QueryAnswer, Ranker

#: Baselines without a notion of time run with time=off: times in a query add no candidates.
_TIMELESS = frozenset(("bm25", "dense", "rrf", "zscore", "plain"))
_NO_ENCODER = "none"
#: Scorers that never look at a vector: they encode nothing unless an encoder is named.
_WORDS_ONLY = frozenset(("bm25",))
_VECTORS = "vectors.db"
_INDEX = "index"
#: A file that exists once all documents are in the index.
_COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class EngineSystem:
    """A search as a system: `ranking` names a scorer; "epochal" is the default one, "plain" the same without time."""

    ranking: str
    encoder: str = DEFAULT
    time: bool = True
    sequence: str | None = None
    start: str | None = None
    by: str | None = None
    only: str | None = None
    dims: int | None = None
    shortlist: int | None = None

    @property
    def name(self) -> str:
        """The scorer with the settings that are not the defaults."""
        settings: dict[str, str] = {}
        if self.encoder != get_default_encoder(self.ranking):
            settings["encoder"] = self.encoder
        if self.time == (self.ranking in _TIMELESS):
            settings["time"] = "on" if self.time else "off"
        for key, value in (
            ("sequence", self.sequence),
            ("start", self.start),
            ("by", self.by),
            ("only", self.only),
            ("dims", self.dims),
            ("shortlist", self.shortlist),
        ):
            if value is not None:
                settings[key] = str(value)
        return str(Spec(self.ranking, settings))

    @property
    def store(self) -> str:
        """One per encoder and way of reading; scorers and truncated searches share an index."""
        settings = f"{self.encoder}\n{self.sequence}\n{self.start}\n{self.by}\n{self.only}"
        return f"engine-{hashlib.sha256(settings.encode()).hexdigest()[:12]}"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Build or reuse the index; vectors are cached beside the folder, for all sets."""
        folder.mkdir(parents=True, exist_ok=True)
        encoder = self._load_encoder(folder)
        path, complete = folder / _INDEX, (folder / _COMPLETE).exists()
        # A complete index is opened for reading, so that several processes can share it.
        opened = Index.open(path, encoder, write=not complete) if path.exists() else Index.create(path, encoder)
        with opened as index:
            if self.dims is not None:
                index.view().with_dims(self.dims, self.shortlist)  # an error now rather than after indexing
            if not complete:
                index.add(documents, read=self._get_reader())
                (folder / _COMPLETE).touch()
            yield _EngineRanker(index, self)

    def _load_encoder(self, folder: Path) -> Encoder | None:
        if self.encoder == _NO_ENCODER:
            return None
        return CachedEncoder(named_encoder(self.encoder), folder.parent / _VECTORS)

    def _get_reader(self) -> Reader | OrderedReader:
        if self.sequence is None:
            return read_times
        key, mark, value = (self.only or "").partition(":")
        if self.only is not None and not mark:
            raise EpochalError(f"{self.name}: only={self.only} names no value; accepted: only=KEY:VALUE")
        return SequenceReader.named(self.sequence, self.start, self.by, (key, value) if self.only else None)


@dataclass(frozen=True, slots=True)
class _EngineRanker:
    index: Index
    system: EngineSystem

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        name = self.system.ranking
        ranking = load_scorer(None if name in ("epochal", "plain") else name)
        # Baselines are measured as published.
        promotes = name == "epochal" or name.startswith("gate")
        for query in queries:
            response = self.index.search(
                query.text,
                k=k,
                now=query.now,
                time=self.system.time,
                collapse_versions=False,
                promote_current_version=promotes,
                scorer=ranking,
                dims=self.system.dims,
                shortlist=self.system.shortlist,
            )
            yield QueryAnswer(query.id, tuple((hit.id, hit.score) for hit in response), {"outcome": response.outcome})


def get_default_encoder(ranking: str) -> str:
    """The encoder that a scorer gets where none is named."""
    return _NO_ENCODER if ranking in _WORDS_ONLY else DEFAULT


def make_engine_system(spec: Spec) -> EngineSystem:
    settings = dict(spec.only("encoder", "time", "sequence", "start", "by", "only", "dims", "shortlist"))
    time = settings.pop("time", "off" if spec.name in _TIMELESS else "on")
    if time not in ("on", "off"):
        raise EpochalError(f"{spec}: time must be on or off")
    if spec.name not in ("epochal", "plain"):
        load_scorer(spec.name)
    dims, shortlist = (_parse_count(spec, key, settings.pop(key, None)) for key in ("dims", "shortlist"))
    if shortlist is not None and dims is None:
        raise EpochalError(f"{spec}: shortlist goes with dims, the dimensions that select it")
    encoder = settings.pop("encoder", get_default_encoder(spec.name))
    return EngineSystem(spec.name, encoder, time == "on", dims=dims, shortlist=shortlist, **settings)


def _parse_count(spec: Spec, key: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise EpochalError(f"{spec}: {key} must be a whole number from 1")
    return int(text)


@dataclass(frozen=True, slots=True)
class RunSystem:
    """A TREC run from a file. A query that the file does not have gets no hits."""

    path: str

    @property
    def name(self) -> str:
        """The path, as a spec."""
        return str(Spec("run", {"path": self.path}))

    @property
    def store(self) -> str:
        """Nothing is stored."""
        return "run"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """Read the run; the documents are not used."""
        yield _RunRanker(self.path, read_run(self.path))


@dataclass(frozen=True, slots=True, eq=False)
class _RunRanker:
    path: str
    rows: Mapping[str, Sequence[RunRow]]

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[QueryAnswer]:
        if queries and not any(query.id in self.rows for query in queries):
            first = next(iter(self.rows))
            raise EpochalError(
                f"the run {self.path} has none of the {len(queries)} questions; it has such as {first!r}, the set such "
                f"as {queries[0].id!r}"
            )
        for query in queries:
            yield QueryAnswer(query.id, tuple((row.document, row.score) for row in self.rows.get(query.id, ())[:k]))


def make_run_system(spec: Spec) -> RunSystem:
    settings = spec.only("path")
    if "path" not in settings:
        raise EpochalError("run needs a file; accepted: run(path=FILE.trec)")
    return RunSystem(settings["path"])
