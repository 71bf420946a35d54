"""Epochal itself, with any of its scorers, with time or without, reading documents alone or in sequence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from epochal.bench.records import BenchQuery
from epochal.bench.specs import Spec
from epochal.bench.systems.base import Answer, Ranker
from epochal.encoders import CachedEncoder
from epochal.encoders import encoder as named_encoder
from epochal.encoders.base import Encoder
from epochal.encoders.registry import DEFAULT
from epochal.engine.index import Index
from epochal.engine.ingest import OrderedReader, Reader, read_times
from epochal.engine.sequence import SequenceReader
from epochal.errors import EpochalError
from epochal.index.records import Document
from epochal.ranking.registry import scorer

__all__ = ["EngineSystem", "engine_system"]

#: Baselines without a notion of time are measured without: what is read in a question brings them no candidate.
_TIMELESS = frozenset(("bm25", "dense", "rrf", "zscore", "plain"))
_NO_ENCODER = "none"
_VECTORS = "vectors.db"
_INDEX = "index"
#: A file that is there once all documents are in the index: then they need not be gone through again.
_COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class EngineSystem:
    """A search as a system: `ranking` names a scorer; "epochal" is the default one, "plain" it without time.

    >>> EngineSystem("epochal", encoder="static", sequence="lu").name
    'epochal(encoder=static, sequence=lu)'
    """

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
        """The name with the settings that are not the usual ones.

        >>> EngineSystem("bm25", time=False).name
        'bm25'
        """
        settings: dict[str, str] = {}
        if self.encoder != DEFAULT:
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
        """Scorers share an index, and so do searches by any part of its vectors; encoders and ways of reading do not.

        >>> EngineSystem("bm25").store == EngineSystem("epochal").store
        True
        """
        told = f"{self.encoder}\n{self.sequence}\n{self.start}\n{self.by}\n{self.only}"
        return f"engine-{hashlib.sha256(told.encode()).hexdigest()[:12]}"

    @contextmanager
    def open(self, documents: Iterable[Document], folder: Path) -> Iterator[Ranker]:
        """The index of the documents, made or used again; vectors are kept beside the folder, for all sets alike.

        >>> import tempfile
        >>> system = EngineSystem("epochal", encoder="none")
        >>> with tempfile.TemporaryDirectory() as folder, system.open([Document("d", "Rain.")], Path(folder)) as ranker:
        ...     next(ranker.answer([BenchQuery("q", "rain")], 5)).hits[0][0]
        'd'
        """
        folder.mkdir(parents=True, exist_ok=True)
        chosen = self._encoder(folder)
        place, complete = folder / _INDEX, (folder / _COMPLETE).exists()
        # What is complete is only read, by as many processes at a time as there are.
        made = Index.open(place, chosen, write=not complete) if place.exists() else Index.create(place, chosen)
        with made as index:
            if self.dims is not None:
                index.view().nested(self.dims, self.shortlist)  # complains now rather than when all is indexed
            if not complete:
                index.add(documents, read=self._reader())
                (folder / _COMPLETE).touch()
            yield _EngineRanker(index, self)

    def _encoder(self, folder: Path) -> Encoder | None:
        if self.encoder == _NO_ENCODER:
            return None
        return CachedEncoder(named_encoder(self.encoder), folder.parent / _VECTORS)

    def _reader(self) -> Reader | OrderedReader:
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

    def answer(self, queries: Sequence[BenchQuery], k: int) -> Iterator[Answer]:
        named = self.system.ranking
        chosen = scorer(None if named in ("epochal", "plain") else named)
        # A baseline is what its paper says, and no more.
        promotes = named == "epochal" or named.startswith("gate")
        for query in queries:
            found = self.index.search(
                query.text,
                k=k,
                now=query.now,
                time=self.system.time,
                collapse_versions=False,
                promote_current_version=promotes,
                scorer=chosen,
                dims=self.system.dims,
                shortlist=self.system.shortlist,
            )
            yield Answer(query.id, tuple((hit.id, hit.score) for hit in found), {"outcome": found.outcome})


def engine_system(spec: Spec) -> EngineSystem:
    """The system that a spec names.

    >>> engine_system(Spec.parse("bm25(encoder=none)")).time
    False
    >>> engine_system(Spec.parse("epochal(time=sometimes)"))
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: epochal(time=sometimes): time must be on or off
    """
    settings = dict(spec.only("encoder", "time", "sequence", "start", "by", "only", "dims", "shortlist"))
    wanted = settings.pop("time", "off" if spec.name in _TIMELESS else "on")
    if wanted not in ("on", "off"):
        raise EpochalError(f"{spec}: time must be on or off")
    if spec.name not in ("epochal", "plain"):
        scorer(spec.name)
    dims, shortlist = (_whole(spec, key, settings.pop(key, None)) for key in ("dims", "shortlist"))
    if shortlist is not None and dims is None:
        raise EpochalError(f"{spec}: shortlist goes with dims, the numbers that it is found by")
    encoder, on = settings.pop("encoder", DEFAULT), wanted == "on"
    return EngineSystem(spec.name, encoder, on, dims=dims, shortlist=shortlist, **settings)


def _whole(spec: Spec, key: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise EpochalError(f"{spec}: {key} must be a whole number from 1")
    return int(text)
