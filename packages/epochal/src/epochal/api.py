"""The public interface: open an index, add documents, search, answer; tag a text, understand a question."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from enum import Enum
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from epochal.encoders.base import UNORDERED, Encoder
from epochal.encoders.registry import encoder as named_encoder
from epochal.encoders.wrappers import cut_encoder
from epochal.errors import EpochalError, StorageError
from epochal.other_names import refuse_attribute
from epochal.ranking.coverage import Coverage, measure_coverage
from epochal.reading.fiscal import FiscalSetting, read_fiscal_setting, use_fiscal_calendar
from epochal.reading.questions.understand import understand as understand_question
from epochal.reading.tagger import tag as tag_text
from epochal.search.request import Request, SearchArguments, TrendArguments, parse_time
from epochal.search.response import Response, read_with_retry
from epochal.search.search import Searcher
from epochal.search.where import parse_where
from epochal.storage.addresses import get_provider, shown
from epochal.storage.making import Encode, offer_maker
from epochal.storage.metadata import find_documents
from epochal.storage.protocol import Backend, ChecksSpace
from epochal.storage.records import Document, Entry
from epochal.storage.vectors import name_prefix_encoder
from epochal.times.axis import Grain
from epochal.times.span import Clock, Span, SystemClock

if TYPE_CHECKING:
    import datetime as dt

    from typing_extensions import Unpack

    from epochal.answers.answer import Answer
    from epochal.ingest import OrderedReader, Reader
    from epochal.llm.chat import Chat
    from epochal.reading.expression import TimeExpr
    from epochal.reading.questions.question import Understanding
    from epochal.search.trends import Trend
    from epochal.storage.importers.inputs import AddReport
    from epochal.storage.importers.read import DatesFrom

__all__ = ["Index", "open", "tag", "understand"]

#: In a stored encoder name, separates the name that the user gave from the identity of the vectors.
_SEPARATOR: Final = "@"
#: What tells the present to indexes that are opened without a clock of their own.
CLOCK: Clock = SystemClock()


class Today(Enum):
    """The default of `now`: today, by the clock of the index."""

    TODAY = "today"


TODAY: Final = Today.TODAY


def read_today(clock: Clock) -> Span:
    """The present day by a clock, or its coarser present."""
    now = clock.now()
    return now if now.grain >= Grain.DAY else Span.unit(now.start, Grain.DAY)


class Index(Searcher):
    """A searchable collection of documents, in a folder or at an address.

    >>> import tempfile
    >>> documents = [
    ...     Document("a", "Tariffs on steel were raised in May 1998."),
    ...     Document("b", "Tariffs on steel were lowered in 2003."),
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder="static") as index:
    ...     index.add(documents)
    ...     index.search("What happened to steel tariffs in 2003?")[0].id
    AddReport(2 added, 2 undated)
    'b'
    """

    def __init__(
        self,
        backend: Backend,
        encoder: Encoder | None = None,
        repairs: Iterable[str] = (),
        *,
        clock: Clock | None = None,
        fiscal_year_start: FiscalSetting | None = None,
    ) -> None:
        if isinstance(backend, str | os.PathLike):
            raise EpochalError(
                f"Index takes an open store, but was given {str(backend)!r}; write epochal.open({str(backend)!r})"
            )
        super().__init__(backend.view, encoder)
        self._backend = backend
        #: The clock that tells the present where a call gives no `now`.
        self.clock = CLOCK if clock is None else clock
        #: How "FY24" is read in documents and questions; None leaves it to the environment.
        self.fiscal_calendar = None if fiscal_year_start is None else read_fiscal_setting(fiscal_year_start)
        #: What was damaged or out of date when the index was opened, and was repaired: a sentence each.
        self.repairs = tuple(repairs)

    # ---------------------------------------------------------------- opening and closing

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        encoder: str | Encoder | None = "minilm",
        *,
        dims: int | None = None,
        clock: Clock | None = None,
        fiscal_year_start: FiscalSetting | None = None,
    ) -> Index:
        """Create an index in a new folder. `encoder` is a name, an `Encoder`, or None to search by words alone.

        With `dims`, only the first dimensions of each vector are stored. Instead of a folder, `path` can be an address
        such as `postgresql://localhost/news`; see `epochal.storage.addresses`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     len(index)
        0
        """
        selected = named_encoder(encoder) if isinstance(encoder, str) else encoder
        if selected is not None and not isinstance(selected, Encoder):
            raise EpochalError(f"encoder must be a name, an Encoder or None, but is {selected!r}")
        if selected is None:
            if dims is not None:
                raise EpochalError(f"dims is {dims}, but without an encoder there are no vectors; leave out dims")
            store = get_provider(path).create(path, "", 0)
            return cls(store, None, clock=clock, fiscal_year_start=fiscal_year_start)
        if dims is not None:
            selected = cut_encoder(selected, dims)
        name = encoder if isinstance(encoder, str) else ""
        store = get_provider(path).create(path, f"{name}{_SEPARATOR}{selected.name}", selected.dim)
        return cls(store, selected, clock=clock, fiscal_year_start=fiscal_year_start)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        encoder: Encoder | None = None,
        *,
        write: bool = False,
        clock: Clock | None = None,
        fiscal_year_start: FiscalSetting | None = None,
    ) -> Index:
        """Open an existing index. An `Encoder` object must be given again; a named encoder is loaded by its name.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder="static").close()
        ...     Index.open(folder).encoder_name
        'static'
        """
        store = get_provider(path).open(path, write=write)
        try:
            selected = _load_encoder(store, encoder, shown(path))
        except EpochalError:
            store.close()
            raise
        return cls(store, selected, store.repairs, clock=clock, fiscal_year_start=fiscal_year_start)

    def close(self) -> None:
        """Close the files and release the writer's lock."""
        self._backend.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---------------------------------------------------------------- contents

    def __len__(self) -> int:
        return self._backend.view().document_count

    def __iter__(self) -> Iterator[Document]:
        return self.documents()

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._backend.view().get_document(id) is not None

    def __getitem__(self, id: str) -> Document:
        document = self.get(id)
        if document is None:
            raise KeyError(f"no document has the id {id!r}")
        return document

    if not TYPE_CHECKING:  # type checkers know which names there are

        def __getattr__(self, name: str) -> Any:
            raise refuse_attribute("an index", name, self)

    def __repr__(self) -> str:
        name = self.encoder_name or "none"
        return f"<Index of {len(self):,} document{'' if len(self) == 1 else 's'}, encoder {name}>"

    @property
    def encoder_name(self) -> str:
        """The name of the encoder; empty for an index without vectors."""
        name, _, identity = self._backend.encoder_name.partition(_SEPARATOR)
        return name or identity

    @property
    def generation(self) -> int:
        """A number that grows with each write."""
        return self._backend.view().generation

    def get(self, id: str) -> Document | None:
        """The document with this id, or None.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.get("nobody") is None
        True
        """
        if not isinstance(id, str):
            raise EpochalError(f"a document's id must be a text, but {id!r} was asked for")
        return self._backend.view().get_document(id)

    def documents(self) -> Iterator[Document]:
        """All documents, in the order in which they were stored."""
        for batch in self._backend.view().iterate():
            yield from batch

    def coverage(self, span: Span | dt.date | int | str | None = None) -> Coverage:
        """The number of documents per period, over all times or within a span.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.add([Document("a", "Tariffs rise.", published="1998-05-02")])
        ...     index.coverage().first.edtf()
        AddReport(1 added)
        '1998-05-02'
        """
        within = parse_time(span, "span")
        return read_with_retry(self._backend.view, lambda view: measure_coverage(view, within))

    # ---------------------------------------------------------------- writing

    def add(
        self,
        documents: object,
        *,
        read: Reader | OrderedReader | None = None,
        progress: Callable[[int], None] | None = None,
        fields: Mapping[str, str] | None = None,
        day_first: bool | None = None,
        format: str | None = None,
        dates_from: DatesFrom = "text",
        strict: bool = False,
        fast: bool = False,
    ) -> AddReport:
        """Store documents, replacing those with the same ids, and report what became of them.

        `documents` is a path, a `Document`, a dict with "text", a data frame of pandas, polars or pyarrow, or any
        iterable of these; texts alone go in a list. `fields` names the parts of rows that have other names, such as
        {"published": "Date"}, `format` the format of a path whose name does not say it, and `day_first` how 05/04/2020
        is read. Files of text are dated by what they state themselves, unless `dates_from` is "none".

        A row without text is left out, and a date that cannot be read leaves its document undated; the report counts
        both. With `strict` they are errors.

        Documents are stored in batches: when the call returns, all are safe on disk; after an interruption, the
        batches that were finished. `read` finds the times of a document, the tagger unless given; a `SequenceReader`
        reads documents in order.

        With `fast`, documents are found by their words and times when the call returns, and by their vectors once
        `make_vectors` has made these. Where the encoder is fast itself, as `static` is, vectors are made at once.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.add([{"id": "a", "text": "Tariffs rise.", "published": "2 May 1998", "lang": "en"}])
        ...     index["a"].meta
        AddReport(1 added)
        {'lang': 'en'}
        """
        from epochal.ingest import add_documents, read_times
        from epochal.storage.importers.inputs import AddReport, Inputs

        inputs = Inputs(
            documents, fields=fields, day_first=day_first, format=format, dates_from=dates_from, strict=strict
        )
        if isinstance(self._backend, ChecksSpace):
            self._backend.check_space(inputs.estimate_text())
        with use_fiscal_calendar(self.fiscal_calendar):
            report = add_documents(
                self._backend, inputs, self._encoder, read=read or read_times, progress=progress, fast=fast
            )
        return AddReport(
            added=report.added,
            replaced=report.replaced,
            unchanged=report.unchanged,
            undated=report.undated,
            refused=inputs.refused,
            problems=inputs.problems,
            warnings=[*inputs.warnings, *report.warnings],
        )

    def make_vectors(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Make the vectors that documents lack which were added with `fast`; returns of how many passages.

        It may run in a thread or another process, while others read and write. `progress` gets the number of passages
        of each batch. What is stored stays, and an interrupted run can be repeated.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder) as index:
        ...     index.add([Document("a", "Tariffs rise.")], fast=True)
        ...     index.make_vectors(), index.make_vectors()
        AddReport(1 added, 1 undated)
        (1, 0)
        """
        from epochal.ingest import make_vectors

        return make_vectors(self._backend, self._encoder, progress=progress)

    def add_entries(self, entries: Iterable[Entry], *, progress: Callable[[int], None] | None = None) -> AddReport:
        """Store documents that were split, dated and encoded elsewhere, as `add` would; see `epochal.ingest`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.add_entries([Entry(Document("a", ""), ())])
        AddReport(1 added, 1 undated)
        """
        from epochal.ingest import add_entries

        return add_entries(self._backend, entries, progress=progress)

    def delete(self, ids: str | Iterable[str] | None = None, *, where: Mapping[str, Any] | str | None = None) -> int:
        """Delete one document or several by their ids, or all whose metadata meet the conditions of `where`.

        Returns how many there were.
        """
        if (ids is None) == (where is None):
            raise EpochalError("delete takes ids or where, one of the two")
        if where is not None and not parse_where(where):
            raise EpochalError("delete by where needs a condition; to delete all documents, delete the folder")
        if ids is None:
            view = self._backend.view()
            rows = find_documents(view, parse_where(where) or {})
            ids = [document.id for document in view.get_documents(rows)]
        return self._backend.delete([ids] if isinstance(ids, str) else ids)

    def bulk(self) -> AbstractContextManager[None]:
        """Delay the update of the files that searches read until the context ends; each write is durable at once."""
        return self._backend.bulk()

    def __delitem__(self, id: str) -> None:
        if not self.delete(id):
            raise KeyError(f"no document has the id {id!r}")

    def compact(self, *, erase: bool = False) -> None:
        """Remove deleted and replaced documents from the database, in about the time that takes for these alone.

        Files are written anew where much of them is free space or dead; with `erase` they all are, and none has the
        words of what was deleted.
        """
        if erase:
            self._backend.compact(erase=True)
        else:
            self._backend.compact()

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the index to a new folder; it stays open."""
        self._backend.backup(path)

    # ---------------------------------------------------------------- searching

    def search(
        self, question: str, *, stopwatch: Callable[[], float] | None = None, **options: Unpack[SearchArguments]
    ) -> Response:
        """The documents that answer a question, from the time that it asks about.

        The options are those of `epochal.search.request.SearchOptions`. Every time may be a Span, a date, a datetime, a
        year or a text. `now` is the present that "last year" counts from: today unless given; None for no present.
        `response.now` records it.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     _ = index.add([Document("a", "Tariffs rose."), Document("b", "Tariffs fell.", published=2003)])
        ...     index.search("tariffs last year", now=2004)[0].date
        Span.parse('2003')
        """
        options.setdefault("now", read_today(self.clock))
        with use_fiscal_calendar(self.fiscal_calendar):
            return super().search(question, stopwatch=stopwatch, **options)

    def search_many(self, questions: Iterable[str], **options: Unpack[SearchArguments]) -> list[Response]:
        """The responses to several questions, each with the same options."""
        options.setdefault("now", read_today(self.clock))
        return [self.search(question, **options) for question in questions]

    async def asearch(self, question: str, **options: Unpack[SearchArguments]) -> Response:
        """`search` in a thread, for programs that must not wait."""
        import asyncio

        return await asyncio.to_thread(self.search, question, **options)

    def trends(
        self,
        topics: str | Iterable[str],
        *,
        by: str = "year",
        during: Span | dt.date | int | str | None = None,
        **options: Unpack[TrendArguments],
    ) -> list[Trend]:
        """How many documents on each topic are from each year, month or reign: those that pass the relevance floor.

        `by` is "month", "year" (or coarser, where these would be more than 1,000), "" for what fits, or the name of a
        regnal calendar such as "lu". `during` bounds the periods; the options are those of `search` that filter.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     _ = index.add([Document("a", "Tariffs rose.", published=1998), Document("b", "Rain.", published=1999)])
        ...     index.trends("tariffs")[0].counts
        (1, 0)
        """
        from epochal.search.trends import measure_trends

        options.setdefault("now", read_today(self.clock))
        named = [topics] if isinstance(topics, str) else list(topics)
        requests = [Request.parse({"question": topic, **options}) for topic in named]
        within = parse_time(during, "during", requests[0].now if requests else None)
        with use_fiscal_calendar(self.fiscal_calendar):
            scorer = self._load_scorer(None)
            return read_with_retry(
                self._backend.view, lambda view: measure_trends(view, self._encoder, requests, scorer, by, within)
            )

    # ---------------------------------------------------------------- answering

    async def aanswer(self, question: str, **options: Any) -> Answer:
        """`answer` in a thread, for programs that must not wait."""
        import asyncio

        return await asyncio.to_thread(self.answer, question, **options)

    def answer(
        self,
        question: str,
        *,
        now: Span | dt.date | int | str | Today | None = TODAY,
        as_of: Span | dt.date | int | str | None = None,
        k: int = 10,
        where: Mapping[str, Any] | str | None = None,
        llm: Chat | None = None,
    ) -> Answer:
        """A dated and cited answer to a question, period by period, with what is missing.

        `now` and `where` are those of `search`.

        Without `llm` the answer is a timeline of quotes, and nothing leaves this machine. See `epochal.answers`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     _ = index.add([Document("a", "Tariffs rose in May 1998.")])
        ...     print(index.answer("What became of tariffs in 1998?", now=None).text)
        1998
          1998-05  “Tariffs rose in May 1998.” [1: a, 1998-05]
        """
        from epochal.answers.answering import answer  # a search does not need it

        present = read_today(self.clock) if isinstance(now, Today) else now
        with use_fiscal_calendar(self.fiscal_calendar):
            return answer(self, question, now=present, as_of=as_of, k=k, where=where, llm=llm)


def _load_static() -> tuple[str, Encode]:
    encoder = named_encoder("static")
    return f"static{_SEPARATOR}{encoder.name}", encoder.encode_documents


# Its vectors take less time to make than to read and check, so they are not kept with the documents.
offer_maker(f"static{_SEPARATOR}{UNORDERED}", _load_static)


def _load_encoder(store: Backend, own_encoder: Encoder | None, path: str) -> Encoder | None:
    """Get the encoder of the stored vectors; vectors of another encoder could not be compared with them."""
    name, _, identity = store.encoder_name.partition(_SEPARATOR)
    if not store.encoder_name:
        return None
    if own_encoder is None and not name:
        raise StorageError(
            f"the index {path!r} was made with an encoder called {identity!r}; open it with that encoder"
        )
    encoder = named_encoder(name) if own_encoder is None else own_encoder
    if identity == name_prefix_encoder(encoder.name, store.dim):
        encoder = cut_encoder(encoder, store.dim)
    if encoder.name != identity:
        raise StorageError(
            f"the index {path!r} holds vectors of {identity!r}, but the encoder is {encoder.name!r}; index it again"
        )
    return encoder


def open(
    path: str | os.PathLike[str],
    encoder: str | Encoder | None = "auto",
    *,
    write: bool = False,
    dims: int | None = None,
    clock: Clock | None = None,
    fiscal_year_start: FiscalSetting | None = None,
) -> Index:
    """Open the index at a folder or an address; create it if there is none.

    A new index gets `encoder` and `dims`, as in `Index.create`; "auto" is "minilm" for a new index, and for an existing
    one its own encoder. Another than that is refused: its vectors could not be compared with those that are stored. An
    `Encoder` object must be given again. The writer's lock is taken by the first write, or at once with `write`.
    `clock` tells what today is; the machine's clock unless given. `fiscal_year_start` is the month in which the fiscal
    years of documents and questions begin ("FY24"); see `epochal.reading.fiscal`.

    >>> import epochal, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with epochal.open(folder, encoder="static") as index:
    ...         _ = index.add([epochal.Document("a", "Tariffs rose in May 1998.")])
    ...     with epochal.open(folder) as index:
    ...         index.search("tariffs in 1998")[0].id
    'a'
    """
    if not isinstance(path, str | os.PathLike) or not str(path).strip():
        raise EpochalError(f"open takes a folder, or an address such as postgres://…, but was given {path!r}")
    if str(path) == ":memory:":
        raise EpochalError("an index is a folder on disk, not ':memory:'; one of tempfile.TemporaryDirectory() will do")
    provider = get_provider(path)
    if not provider.exists(path):
        try:
            chosen = "minilm" if encoder == "auto" else encoder
            return Index.create(path, chosen, dims=dims, clock=clock, fiscal_year_start=fiscal_year_start)
        except StorageError:
            if not provider.exists(path):
                raise  # no other process has created it meanwhile
    own = encoder if isinstance(encoder, Encoder) else None
    index = Index.open(path, own, write=write, clock=clock, fiscal_year_start=fiscal_year_start)
    if own is None and encoder not in ("auto", index.encoder_name or None):
        index.close()
        made = index.encoder_name or None
        raise StorageError(
            f"the index {shown(path)!r} was made with the encoder {made!r}, not {encoder!r}; leave out encoder, or "
            "index the documents again in another place"
        )
    return index


def tag(
    text: str,
    now: Span | dt.date | int | str | None = None,
    lang: str = "auto",
    *,
    implicit: bool = False,
    fiscal_year_start: FiscalSetting | None = None,
) -> list[TimeExpr]:
    """Find the time expressions of a text; "last month" counts from `now`, the date of the text.

    `implicit` adds named events and periods; `fiscal_year_start` is the month in which fiscal years begin. Takes any
    time for `now`; otherwise the same as `epochal.reading.tag`.

    >>> import epochal
    >>> [(item.text, item.value) for item in epochal.tag("The fee was raised last month.", now="1998-06-05")]
    [('last month', '1998-05')]
    """
    if not isinstance(text, str):
        raise EpochalError(f"tag takes one text, but was given {text!r:.60}; epochal.reading.tag_batch takes several")
    return tag_text(text, parse_time(now, "now"), lang, implicit=implicit, fiscal_year_start=fiscal_year_start)


def understand(
    question: str,
    now: Span | dt.date | int | str | Today | None = TODAY,
    *,
    fiscal_year_start: FiscalSetting | None = None,
) -> Understanding:
    """Parse what a question asks of time: its topic, windows, order and recency.

    `fiscal_year_start` is the month in which fiscal years begin. Takes any time for `now`, today unless given; else the
    same as `epochal.reading.questions.understand.understand`.

    >>> import epochal
    >>> result = epochal.understand("What did a ticket cost last year?", now="2020-03-01")
    >>> [(item.relation, item.span.edtf()) for item in result.constraints]
    [('during', '2019')]
    """
    present = read_today(CLOCK) if isinstance(now, Today) else parse_time(now, "now")
    with use_fiscal_calendar(fiscal_year_start):
        return understand_question(question, present)
