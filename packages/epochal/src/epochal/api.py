"""Index: what people use. Documents in, answers from the right time out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Final

from epochal.encoders.base import Encoder
from epochal.encoders.registry import encoder as named_encoder
from epochal.encoders.wrappers import prefix_of
from epochal.errors import EpochalError, StorageError
from epochal.ingest import OrderedReader, Reader, add_documents, add_entries, read_times
from epochal.ranking.coverage import Coverage, measure_coverage
from epochal.search.request import parse_time
from epochal.search.response import over_parts
from epochal.search.searcher import Searcher
from epochal.storage.addresses import provider_of, shown
from epochal.storage.protocol import Backend
from epochal.storage.records import Document, Entry
from epochal.storage.vectors import prefix_name
from epochal.times.span import Span

if TYPE_CHECKING:
    import datetime as dt

    from epochal.answers.answer import Answer
    from epochal.llm.chat import Chat

__all__ = ["Index"]

#: What stands between the name that an encoder is asked by and the identity of its vectors.
_MARK: Final = "@"


class Index(Searcher):
    """A searchable collection of documents, in a folder.

    >>> import tempfile
    >>> documents = [
    ...     Document("a", "Tariffs on steel were raised in May 1998."),
    ...     Document("b", "Tariffs on steel were lowered in 2003."),
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder="static") as index:
    ...     index.add(documents)
    ...     index.search("What happened to steel tariffs in 2003?")[0].id
    2
    'b'
    """

    def __init__(self, backend: Backend, encoder: Encoder | None, repairs: Iterable[str] = ()) -> None:
        super().__init__(backend.view, encoder)
        self._backend = backend
        #: What was found damaged or behind when the index was opened, and mended: a sentence each.
        self.repairs = tuple(repairs)

    # ---------------------------------------------------------------- opening and closing

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], encoder: str | Encoder | None = "minilm", *, dims: int | None = None
    ) -> Index:
        """Make a new index in a folder. `encoder` is a name, an Encoder of your own, or None to search by words alone.

        With `dims`, only the first numbers of each vector are stored. In place of a folder an address may be given,
        such as `postgresql://localhost/news`: see `epochal.storage.addresses`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     len(index)
        0
        """
        made = named_encoder(encoder) if isinstance(encoder, str) else encoder
        if made is not None and not isinstance(made, Encoder):
            raise EpochalError(f"encoder must be a name, an Encoder or None, but is {made!r}")
        if made is None:
            if dims is not None:
                raise EpochalError(f"dims is {dims}, but without an encoder there are no vectors; leave out dims")
            return cls(provider_of(path).create(path, "", 0), None)
        made = made if dims is None else prefix_of(made, dims)
        asked = encoder if isinstance(encoder, str) else ""
        return cls(provider_of(path).create(path, f"{asked}{_MARK}{made.name}", made.dim), made)

    @classmethod
    def open(cls, path: str | os.PathLike[str], encoder: Encoder | None = None, *, write: bool = False) -> Index:
        """Open an index that exists. An encoder of your own must be given again; those with a name are found by it.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Index.create(folder, encoder="static").close()
        ...     Index.open(folder).encoder_name
        'static'
        """
        store = provider_of(path).open(path, write=write)
        try:
            found = _encoder_of(store, encoder, shown(path))
        except EpochalError:
            store.close()
            raise
        return cls(store, found, store.repairs)

    def close(self) -> None:
        """Let go of the files and of the writer's lock."""
        self._backend.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---------------------------------------------------------------- what it holds

    def __len__(self) -> int:
        return self._backend.view().document_count

    @property
    def encoder_name(self) -> str:
        """The name of the encoder; empty without vectors.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder="static") as index:
        ...     index.encoder_name
        'static'
        """
        asked, _, identity = self._backend.encoder_name.partition(_MARK)
        return asked or identity

    @property
    def generation(self) -> int:
        """How many writes the index has seen.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.generation
        0
        """
        return self._backend.view().generation

    def get(self, id: str) -> Document | None:
        """The document of an id, or None.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.get("nobody") is None
        True
        """
        if not isinstance(id, str):
            raise EpochalError(f"a document's id must be a text, but {id!r} was asked for")
        return self._backend.view().document(id)

    def documents(self) -> Iterator[Document]:
        """All documents, in the order in which they were stored.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     list(index.documents())
        []
        """
        for batch in self._backend.view().iterate():
            yield from batch

    def coverage(self, span: Span | dt.date | int | str | None = None) -> Coverage:
        """How the documents are spread over time, over all of it or within a span.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.add([Document("a", "Tariffs rise.", published=Span.parse("1998-05-02"))])
        ...     index.coverage().first.edtf()
        1
        '1998-05-02'
        """
        within = parse_time(span, "span")
        return over_parts(self._backend.view, lambda view: measure_coverage(view, within))

    # ---------------------------------------------------------------- changing it

    def add(
        self,
        documents: Iterable[Document],
        *,
        read: Reader | OrderedReader = read_times,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Store documents, in place of those with the same ids, and return how many were new or changed.

        Documents are stored in batches: when the call returns, all of them are safe, and after an interruption those
        batches that were done. `read` finds the times of a document; a `SequenceReader` reads them in the order given.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.add([Document("a", "Tariffs rise.")])
        1
        """
        return add_documents(self._backend, documents, self._encoder, read=read, progress=progress)

    def add_entries(self, entries: Iterable[Entry], *, progress: Callable[[int], None] | None = None) -> int:
        """Store documents that were made ready elsewhere, as `add` would have; see `epochal.ingest`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.add_entries([Entry(Document("a", ""), ())])
        1
        """
        return add_entries(self._backend, entries, progress=progress)

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents and return how many there were.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     index.delete(["nobody"])
        0
        """
        return self._backend.delete(ids)

    def compact(self) -> None:
        """Remove what deleted and replaced documents have left behind."""
        self._backend.compact()

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the index, which stays open, to a new folder."""
        self._backend.backup(path)

    # ---------------------------------------------------------------- answering

    def answer(
        self,
        question: str,
        *,
        now: Span | dt.date | int | str | None = None,
        as_of: Span | dt.date | int | str | None = None,
        k: int = 10,
        llm: Chat | None = None,
    ) -> Answer:
        """What the documents say to a question, time by time, cited and quoted; and what they do not say.

        Without `llm` the answer is a timeline of quotes, and nothing leaves this machine. See `epochal.answers`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        ...     _ = index.add([Document("a", "Tariffs rose in May 1998.")])
        ...     print(index.answer("What became of tariffs in 1998?").text)
        1998
          1998-05  “Tariffs rose in May 1998.” [1: a, 1998-05]
        """
        from epochal.answers.answering import answer  # loaded by those who ask for an answer, not by every search

        return answer(self, question, now=now, as_of=as_of, k=k, llm=llm)


def _encoder_of(store: Backend, given: Encoder | None, path: str) -> Encoder | None:
    """The encoder that an index was made with; another one's vectors could not be compared with its own."""
    asked, _, identity = store.encoder_name.partition(_MARK)
    if not store.encoder_name:
        return None
    if given is None and not asked:
        raise StorageError(
            f"the index {path!r} was made with an encoder called {identity!r}; open it with that encoder"
        )
    found = named_encoder(asked) if given is None else given
    if identity == prefix_name(found.name, store.dim):
        found = prefix_of(found, store.dim)
    if found.name != identity:
        raise StorageError(
            f"the index {path!r} holds vectors of {identity!r}, but the encoder is {found.name!r}; index it anew"
        )
    return found
