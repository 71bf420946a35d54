"""What a ranking needs to know of every turn of a memory, as arrays: its user, session, speaker, neighbours, length."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from epochal.memory.turns import ABOUT, CORRECTS, ORDER, SESSION, USER, make_document_id
from epochal.storage.protocol import Rows, View
from epochal.storage.records import Document

Floats = npt.NDArray[np.float64]
_BATCH: Final = 2_000
_NONE: Final = -1


@dataclass(slots=True, eq=False)
class Catalogue:
    """The turns of a view by their places 0, 1, 2, ... in the order of their rows.

    `rows` are their document rows, `orders` numbers that grow as turns are stored; `before` and `after` are the places
    of the turns around each in its session, -1 where there is none. Codes represent names: `users[user_codes[place]]`.
    """

    rows: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    users: dict[str, int] = field(default_factory=dict)
    sessions: dict[tuple[int, str], int] = field(default_factory=dict)
    speakers: dict[str, int] = field(default_factory=dict)
    abouts: dict[str, int] = field(default_factory=dict)
    user_codes: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    session_codes: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    speaker_codes: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    about_codes: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    asks: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    lengths: Floats = field(default_factory=lambda: np.zeros(0))
    said: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    orders: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    before: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    after: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    #: By the id of a document, the ids of those that correct it, in the order in which they were stored.
    corrections: dict[str, list[str]] = field(default_factory=dict)
    first_id: str = ""
    last_id: str = ""
    _found_speakers: dict[int, dict[str, int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def find_speakers(self, user: int) -> dict[str, int]:
        """The speakers of a user's turns, by name; turns without a speaker have none."""
        if user not in self._found_speakers:
            counts = np.bincount(self.speaker_codes[self.user_codes == user], minlength=len(self.speakers))
            self._found_speakers[user] = {name: code for name, code in self.speakers.items() if name and counts[code]}
        return self._found_speakers[user]

    def locate(self, rows: Rows) -> Rows:
        """The places of document rows that are in the catalogue."""
        return np.asarray(self.rows.searchsorted(rows), dtype=np.int64)


def update_catalogue(known: Catalogue, view: View) -> Catalogue:
    """The catalogue of a view: the known one with what was stored since, or a new one where others are gone."""
    rows = view.alive_documents
    size = len(known)
    if size and not _is_continued(known, view, rows):
        known, size = Catalogue(), 0
    if size == len(rows):
        return known
    documents: list[Document] = []
    for low in range(size, len(rows), _BATCH):
        documents += view.get_documents(rows[low : low + _BATCH])
    return _extend(known, rows, documents)


def _is_continued(known: Catalogue, view: View, rows: Rows) -> bool:
    """Whether the rows of a catalogue mean the same turns in a view: rows are numbered anew where turns were purged."""
    if len(rows) < len(known) or not np.array_equal(rows[: len(known)], known.rows):
        return False
    found = view.find_document_rows([known.first_id, known.last_id])
    return bool(found[0] == known.rows[0] and found[1] == known.rows[-1])


def _extend(known: Catalogue, rows: Rows, documents: list[Document]) -> Catalogue:
    users, sessions, speakers, abouts = known.users, known.sessions, known.speakers, known.abouts
    columns: tuple[list[int], ...] = ([], [], [], [])
    for document in documents:
        user = users.setdefault(str(document.meta.get(USER, "")), len(users))
        session = sessions.setdefault((user, str(document.meta.get(SESSION, ""))), len(sessions))
        speaker = speakers.setdefault(document.title, len(speakers))
        about = abouts.setdefault(str(document.meta.get(ABOUT, "")), len(abouts))
        for column, code in zip(columns, (user, session, speaker, about), strict=True):
            column.append(code)
        if corrected := document.meta.get(CORRECTS):
            target = make_document_id(str(document.meta.get(USER, "")), str(corrected))
            known.corrections.setdefault(target, []).append(document.id)
    said = [0 if document.published is None else document.published.start for document in documents]
    orders = np.array([int(document.meta.get(ORDER, 0)) for document in documents], dtype=np.int64)
    result = Catalogue(
        rows,
        users,
        sessions,
        speakers,
        abouts,
        np.append(known.user_codes, columns[0]).astype(np.int64),
        np.append(known.session_codes, columns[1]).astype(np.int64),
        np.append(known.speaker_codes, columns[2]).astype(np.int64),
        np.append(known.about_codes, columns[3]).astype(np.int64),
        np.append(known.asks, ["?" in document.text or "？" in document.text for document in documents]).astype(
            np.bool_
        ),
        np.append(known.lengths, [len(document.text.split()) for document in documents]),
        np.append(known.said, said).astype(np.int64),
        np.append(known.orders, orders).astype(np.int64),
        corrections=known.corrections,
        first_id=known.first_id or documents[0].id,
        last_id=documents[-1].id,
    )
    result.before, result.after = _link_neighbours(result)
    return result


def _link_neighbours(catalogue: Catalogue) -> tuple[Rows, Rows]:
    """The places before and after each turn in its session, by when they were said, then in the order of storing."""
    order = np.lexsort((catalogue.orders, catalogue.said, catalogue.session_codes))
    before, after = (np.full(len(order), _NONE, dtype=np.int64) for _ in range(2))
    same = catalogue.session_codes[order][1:] == catalogue.session_codes[order][:-1]
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    return before, after
