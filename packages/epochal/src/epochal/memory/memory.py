"""A memory for an assistant: remember turns, recall evidence, see what changed when, forget for good."""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary, finalize

import numpy as np
import numpy.typing as npt

from epochal.api import TODAY, Index, Today, read_today
from epochal.api import open as open_index
from epochal.errors import EpochalError
from epochal.files import write_atomically
from epochal.ingest import make_entries, read_passages
from epochal.memory.belief import read_belief
from epochal.memory.carried import REPLIES
from epochal.memory.catalogue import Catalogue, update_catalogue
from epochal.memory.ranking import Ranking, rank_turns
from epochal.memory.recall import Evidence, Recall, RecallOutcome
from epochal.memory.stated import read_document_times
from epochal.memory.turns import FACTS, Happening, Turn, check_texts, make_document_id
from epochal.memory.when import find_times
from epochal.search.request import MAX_QUESTION, parse_time
from epochal.storage.importers.fields import DateReader
from epochal.storage.protocol import View, name_state
from epochal.times.axis import OPEN_START
from epochal.times.span import Clock, Span

if TYPE_CHECKING:
    import datetime as dt

    from epochal.encoders.base import Encoder

#: The user whose memory it is where none is named.
DEFAULT_USER: Final = "default"
#: Turns that are stored before the files that searches read are updated, at the latest.
_MAX_PENDING: Final = 1_000
#: Below this probability the evidence probably does not answer: on LoCoMo's conversations for choosing, a sixth of the
#: questions that have an answer, and three quarters of those that have none.
_LIKELY: Final = 0.7
#: Where no turn has this share of the words of a question, its topic is unknown.
_KNOWN: Final = 0.25
#: How many turns a timeline or a history looks at where `about` is no name under which turns were remembered.
_MANY: Final = 50


class _Writer:
    """What the memories of all users of an index share: writes whose derived files are not updated yet."""

    def __init__(self) -> None:
        # Not the index itself: it would never be released.
        self._delayed = ExitStack()
        self._pending = 0
        self._order = 0
        self.lock = threading.RLock()
        # A program that ends without closing its memory leaves the derived files as a closed one does.
        finalize(self, self._delayed.close)

    def store(self, index: Index, turns: Sequence[Turn]) -> None:
        """Store turns durably, and leave the update of derived files for later."""
        with self.lock:
            self._order = max(self._order + 1, time.time_ns())
            documents = [turn.to_document(self._order + place) for place, turn in enumerate(turns)]
            self._order += len(documents)
            entries = make_entries(
                [(item, read_passages(item, read_document_times)) for item in documents], index.encoder
            )
            if not self._pending:
                self._delayed.enter_context(index.bulk())
            self._pending += len(entries)
            index.add_entries(entries)
            if self._pending >= _MAX_PENDING:
                self.flush()

    def flush(self) -> None:
        """Update the derived files."""
        with self.lock:
            if self._pending:
                self._pending = 0
                self._delayed.close()


_WRITERS: Final[WeakKeyDictionary[Index, _Writer]] = WeakKeyDictionary()


class Memory:
    """What was said to an assistant, for one user of a store.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Memory.open(folder, encoder="static") as memory:
    ...     _ = memory.remember("I ran a charity race yesterday.", at="2023-05-21", speaker="Ana")
    ...     _ = memory.remember("I painted the kitchen.", at="2023-05-22", speaker="Ben")
    ...     recalled = memory.recall("When did Ana run a race?", now="2023-06-01")
    >>> recalled[0].text, recalled.times[0].words
    ('I ran a charity race yesterday.', '20 May 2023 [1]')
    """

    def __init__(self, index: Index, user: str = DEFAULT_USER) -> None:
        check_texts({"user": user})
        self._index = index
        #: Whose memory it is; turns of other users are never seen, and never forgotten.
        self.user = user
        self._catalogue = Catalogue()
        #: The state of the store that the catalogue describes; its view is not held, since that would keep its files.
        self._state: tuple[str, int] | None = None
        self._writer = _WRITERS.setdefault(index, _Writer())

    # ---------------------------------------------------------------- opening and closing

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        user: str = DEFAULT_USER,
        *,
        encoder: str | Encoder | None = "auto",
        clock: Clock | None = None,
    ) -> Memory:
        """Open the memory at a folder or an address, such as `postgresql://...`; create it if there is none."""
        return cls(open_index(path, encoder, clock=clock), user)

    def for_user(self, user: str) -> Memory:
        """The memory of another user in the same store."""
        self.flush()
        return Memory(self._index, user)

    def close(self) -> None:
        """Write what is pending, and close the store."""
        self.flush()
        self._index.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Memory of {self.user!r}: {len(self):,} turns>"

    def __len__(self) -> int:
        _, catalogue = self._read()
        return int(self._find_own(catalogue).sum())

    def __iter__(self) -> Iterator[Turn]:
        view, catalogue = self._read()
        places = np.flatnonzero(self._find_own(catalogue))
        places = places[np.argsort(catalogue.orders[places], kind="stable")]
        for low in range(0, len(places), 1_000):
            yield from map(Turn.from_document, view.get_documents(catalogue.rows[places[low : low + 1_000]]))

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._find_turn(id) is not None

    def __getitem__(self, id: str) -> Turn:
        turn = self._find_turn(id)
        if turn is None:
            raise KeyError(f"the memory of {self.user!r} has no turn {id!r}")
        return turn

    @property
    def index(self) -> Index:
        """The index that holds the turns of all users."""
        self.flush()
        return self._index

    def users(self) -> tuple[str, ...]:
        """The users of the store, in the order of their first turns."""
        _, catalogue = self._read()
        return tuple(catalogue.users)

    def list_session(self, session: str) -> list[Turn]:
        """The turns of a session, in the order in which they were said."""
        view, catalogue = self._read()
        code = catalogue.sessions.get((catalogue.users.get(self.user, -1), session), -1)
        places = np.flatnonzero(catalogue.session_codes == code)
        return _get_turns(view, catalogue, places[np.lexsort((catalogue.orders[places], catalogue.said[places]))])

    # ---------------------------------------------------------------- remembering

    def remember(
        self,
        text: str,
        *,
        at: Span | dt.date | int | str | None = None,
        speaker: str = "",
        session: str = "",
        about: str = "",
        source: str = "",
        corrects: str = "",
        happened: Span | dt.date | int | str | None = None,
        extra: Mapping[str, Any] | None = None,
        id: str = "",
    ) -> str:
        """Store what was said, and return its id; it survives a crash once the call has returned.

        `at` is when it was said, today unless given. `happened` is when it happened or held, where that is known;
        otherwise the words say so. `about` names what it is about, `session` the conversation, `source` where it comes
        from. `corrects` is the id of an earlier turn that is no longer right: that one is kept, and marked. `extra` is
        kept with the turn, and not searched. A turn with the id of another of the same user replaces it.
        """
        return self.remember_many(
            [
                {
                    "text": text,
                    "at": at,
                    "speaker": speaker,
                    "session": session,
                    "about": about,
                    "source": source,
                    "corrects": corrects,
                    "happened": happened,
                    "extra": extra,
                    "id": id,
                }
            ]
        )[0]

    def remember_many(self, turns: Iterable[Mapping[str, Any]]) -> list[str]:
        """Store several turns, each given by the arguments of `remember`, in their order; returns their ids."""
        made = [self._make_turn(dict(turn)) for turn in turns]
        self._check_corrections(made)
        for low in range(0, len(made), _MAX_PENDING):
            self._writer.store(self._index, made[low : low + _MAX_PENDING])
        return [turn.id for turn in made]

    def flush(self) -> None:
        """Update the files that searches read; `recall` does so before it looks. Turns are safe without it."""
        self._writer.flush()

    # ---------------------------------------------------------------- recalling

    def recall(
        self,
        question: str,
        *,
        now: Span | dt.date | int | str | Today | None = TODAY,
        as_of: Span | dt.date | int | str | None = None,
        believed_at: Span | dt.date | int | str | None = None,
        about: str = "",
        k: int = 10,
        budget: int | None = None,
        asker: str = "user",
    ) -> Recall:
        """The turns that answer a question, best first, with what was said around them.

        `believed_at` sees only what had been said by then; a question may also say so itself ("what did we believe in
        May about ..."). `as_of` leaves out what had not happened by then, and
        corrections of what was right then. `about` keeps the turns that were remembered under that name. `budget` is
        how many tokens the pack may have, `str(recall)`. `asker` is the speaker that "I" means in the question.
        """
        if not isinstance(question, str) or not question.strip():
            raise EpochalError(f"a question must be a text that is not empty, but is {question!r}")
        if len(question) > MAX_QUESTION:
            raise EpochalError(
                f"a question may have up to {MAX_QUESTION:,} characters, but has {len(question):,}; shorten it"
            )
        if not isinstance(k, int) or k < 1:
            raise EpochalError(f"k must be a number from 1 on, but is {k!r}")
        present = read_today(self._index.clock) if isinstance(now, Today) else parse_time(now, "now")
        day, belief = parse_time(as_of, "as_of", present), parse_time(believed_at, "believed_at", present)
        words = question
        if day is None and belief is None and (read := read_belief(question, present)) is not None:
            words, belief = read
        view, catalogue = self._read()
        kept = self._select(catalogue, belief, about)
        user = catalogue.users.get(self.user, -1)
        ranking = rank_turns(
            view,
            self._index.encoder,
            catalogue,
            words,
            present,
            user=user,
            kept=kept,
            asker=asker,
        )
        evidence, orders = _make_evidence(view, catalogue, ranking, kept, day, k)
        return Recall(
            question,
            evidence,
            _decide_outcome(ranking) if evidence else "topic_unknown",
            ranking.probability,
            present,
            day,
            belief,
            find_times(
                words,
                ranking.understanding,
                evidence,
                ranking.tokens,
                lambda turn: _get_following(view, catalogue, turn, kept),
            ),
            ranking.unknown_words,
            budget,
            orders,
        )

    def timeline(
        self,
        about: str = "",
        *,
        during: Span | dt.date | int | str | None = None,
        believed_at: Span | dt.date | int | str | None = None,
    ) -> list[tuple[Happening, Turn]]:
        """What happened or is planned, in the order of time, each with the turn that says so.

        `about` is a name under which turns were remembered, a speaker, or a topic in words; everything unless given.
        A turn that states no time is placed where it was said.
        """
        within = parse_time(during, "during")
        found = []
        for turn in self._list_about(about, parse_time(believed_at, "believed_at")):
            happenings = turn.happenings or (Happening(turn.said, "", 0, 0),)
            found += [(item, turn) for item in happenings if within is None or item.span.overlaps(within)]
        return sorted(found, key=lambda pair: (_get_place(pair[0].span), pair[1].said.start))

    def history(self, about: str, *, believed_at: Span | dt.date | int | str | None = None) -> list[Evidence]:
        """What was said about something, in the order in which it was said; corrected turns name their correction."""
        if not about:
            raise EpochalError("history needs about: a name under which turns were remembered, a speaker, or a topic")
        belief = parse_time(believed_at, "believed_at")
        turns = sorted(self._list_about(about, belief), key=lambda turn: turn.said.start)
        view, catalogue = self._read()
        kept = self._select(catalogue, belief, "")
        result = []
        for number, turn in enumerate(turns, 1):
            correction = _find_correction(view, catalogue, turn, kept)
            result.append(Evidence(number, turn, 0.0, superseded_by="" if correction is None else correction[0].id))
        return result

    # ---------------------------------------------------------------- forgetting

    def forget(
        self,
        ids: str | Iterable[str] = (),
        *,
        about: str = "",
        session: str = "",
        speaker: str = "",
        source: str = "",
        before: Span | dt.date | int | str | None = None,
        everything: bool = False,
    ) -> int:
        """Delete turns for good, and return how many there were: those of the ids, or those that meet all conditions.

        `before` takes what was said before that time, `everything` all turns of the user. Facts that were read from
        such turns go with them. No file of the store has their words afterwards; backups that were made before do.
        """
        conditions = {"about": about, "session": session, "speaker": speaker, "source": source}
        check_texts(conditions)
        given = {name: value for name, value in conditions.items() if value}
        limit = parse_time(before, "before")
        listed = {ids} if isinstance(ids, str) else set(ids)
        if not (listed or given or limit is not None or everything):
            raise EpochalError("forget needs ids, about, session, speaker, source, before, or everything=True")
        selected = {
            turn.id
            for turn in self
            if (not listed or turn.id in listed)
            and all(getattr(turn, name) == value for name, value in given.items())
            and (limit is None or turn.said.end <= limit.start)
        }
        selected |= {
            turn.id for turn in self if turn.source == FACTS and not selected.isdisjoint(turn.extra.get("turns", ()))
        }
        if selected:
            with self._writer.lock:
                self._index.delete(make_document_id(self.user, id) for id in selected)
                self._index.compact(erase=True)
                self._catalogue, self._state = Catalogue(), None
        return len(selected)

    # ---------------------------------------------------------------- export and import

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write all turns of the user to a file of JSON Lines, and return how many there are."""
        count = 0
        with write_atomically(path) as file:
            for turn in self:
                file.write(json.dumps(turn.to_dict(), ensure_ascii=False).encode() + b"\n")
                count += 1
        return count

    def import_from(self, path: str | os.PathLike[str]) -> int:
        """Remember all turns of a file that `export` wrote, and return how many there are; known ids are replaced."""
        reader = DateReader()
        turns = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                    times = {name: reader.read(row[name], name) for name in ("at", "happened") if name in row}
                    turns.append(self._make_turn({**row, **times}))
                except (ValueError, TypeError, KeyError, EpochalError) as error:
                    raise EpochalError(
                        f"line {number} of {os.fspath(path)!r} is no turn of a memory: {error}"
                    ) from error
        for low in range(0, len(turns), _MAX_PENDING):
            self._writer.store(self._index, turns[low : low + _MAX_PENDING])
        return len(turns)

    # ---------------------------------------------------------------- inside

    def _read(self) -> tuple[View, Catalogue]:
        with self._writer.lock:
            self.flush()
            view = self._index.view()
            if (state := name_state(view)) != self._state:
                self._catalogue, self._state = update_catalogue(self._catalogue, view), state
            return view, self._catalogue

    def _make_turn(self, given: dict[str, Any]) -> Turn:
        accepted = {"text", "at", "speaker", "session", "about", "source", "corrects", "happened", "extra", "id"}
        if unknown := sorted(set(given) - accepted):
            raise EpochalError(f"a turn has no {unknown[0]!r}; accepted: {', '.join(sorted(accepted))}")
        texts = {name: given.get(name) or "" for name in ("text", "speaker", "session", "about", "source", "corrects")}
        check_texts(texts)
        if not texts["text"].strip():
            raise EpochalError("text must not be empty: there is nothing to remember")
        said = parse_time(given.get("at"), "at") or read_today(self._index.clock)
        happened = parse_time(given.get("happened"), "happened", said)
        return Turn(
            given.get("id") or uuid.uuid4().hex,
            texts.pop("text"),
            said,
            happened=happened,
            user=self.user,
            extra=given.get("extra") or {},
            **texts,
        )

    def _check_corrections(self, turns: Sequence[Turn]) -> None:
        known = {turn.id for turn in turns}
        for turn in turns:
            if turn.corrects and turn.corrects not in known and self._find_turn(turn.corrects) is None:
                raise EpochalError(f"corrects names {turn.corrects!r}, but this memory has no such turn")

    def _find_turn(self, id: str) -> Turn | None:
        view, _ = self._read()
        document = view.get_document(make_document_id(self.user, id))
        return None if document is None else Turn.from_document(document)

    def _find_own(self, catalogue: Catalogue) -> npt.NDArray[np.bool_]:
        return np.asarray(catalogue.user_codes == catalogue.users.get(self.user, -1))

    def _select(self, catalogue: Catalogue, belief: Span | None, about: str) -> npt.NDArray[np.bool_]:
        """Which turns a question may see."""
        kept = self._find_own(catalogue)
        if belief is not None:
            kept &= catalogue.said < belief.end
        if about:
            check_texts({"about": about})
            kept &= catalogue.about_codes == catalogue.abouts.get(about, -1)
        return kept

    def _list_about(self, about: str, belief: Span | None) -> list[Turn]:
        """The turns under a name, by a speaker, or on a topic; all of them where nothing is given."""
        check_texts({"about": about})
        view, catalogue = self._read()
        own = self._select(catalogue, belief, "")
        if about:
            named = own & (catalogue.about_codes == catalogue.abouts.get(about, -1))
            own = named if named.any() else own & (catalogue.speaker_codes == catalogue.speakers.get(about, -1))
        places = np.flatnonzero(own)
        if not about or len(places):
            return _get_turns(view, catalogue, places[np.argsort(catalogue.orders[places], kind="stable")])
        recalled = self.recall(about, now=None, believed_at=belief, k=_MANY)
        return [item.turn for item in recalled if item.parts.get("words", 0.0) > 0]


def _make_evidence(
    view: View,
    catalogue: Catalogue,
    ranking: Ranking,
    kept: npt.NDArray[np.bool_],
    as_of: Span | None,
    k: int,
) -> tuple[tuple[Evidence, ...], dict[str, int]]:
    """The best turns as evidence, and by the ids of all of its turns numbers that grow in the order of storing.

    A correction takes the place of what it corrects, which follows it.
    """
    places = ranking.places[: k if as_of is None and not catalogue.corrections else 4 * k]
    chosen: dict[str, tuple[Turn, int, float, str]] = {}
    for rank, (place, turn) in enumerate(zip(places.tolist(), _get_turns(view, catalogue, places), strict=True)):
        score = float(ranking.scores[rank])
        if as_of is not None and not _had_happened(turn, as_of):
            continue
        correction = _find_correction(view, catalogue, turn, kept, as_of)
        if correction is not None and correction[0].id not in chosen:
            chosen[correction[0].id] = (correction[0], correction[1], score, "")
        if turn.id not in chosen:
            chosen[turn.id] = (turn, place, score, "" if correction is None else correction[0].id)
        if len(chosen) >= k:
            break
    selected = list(chosen.values())[:k]
    known = {place: turn for turn, place, _, _ in selected}
    known |= _get_neighbours(view, catalogue, known, kept)
    ranks = {place: rank for rank, place in enumerate(places.tolist())}
    result = []
    for number, (turn, place, score, superseded) in enumerate(selected, 1):
        parts = {name: float(values[ranks[place]]) for name, values in ranking.parts.items() if place in ranks}
        before, after = (known.get(int(links[place])) for links in (catalogue.before, catalogue.after))
        result.append(Evidence(number, turn, score, before, after, superseded, parts))
    return tuple(result), {turn.id: int(catalogue.orders[place]) for place, turn in known.items()}


def _find_correction(
    view: View, catalogue: Catalogue, turn: Turn, kept: npt.NDArray[np.bool_], as_of: Span | None = None
) -> tuple[Turn, int] | None:
    """The newest correction of a turn, direct or through others, among those that may be seen, with its place."""
    id = make_document_id(turn.user, turn.id)
    found, seen = None, {id}
    while ids := [one for one in catalogue.corrections.get(id, []) if one not in seen]:
        rows = view.find_document_rows(ids)
        places = catalogue.locate(rows[rows >= 0])
        places = places[kept[places]]
        turns = zip(_get_turns(view, catalogue, places), places.tolist(), strict=True)
        visible = [
            (turn, place) for turn, place in turns if as_of is None or (turn.happened or turn.said).start < as_of.end
        ]
        if not visible:
            break
        found = max(visible, key=lambda pair: int(catalogue.orders[pair[1]]))
        id = make_document_id(found[0].user, found[0].id)
        seen.add(id)
    return found


def _get_turns(view: View, catalogue: Catalogue, places: npt.NDArray[np.int64]) -> list[Turn]:
    return [Turn.from_document(item) for item in view.get_documents(catalogue.rows[places])]


def _get_following(view: View, catalogue: Catalogue, turn: Turn, kept: npt.NDArray[np.bool_]) -> list[Turn]:
    """The next turns of the session of a turn, among those that are kept."""
    (place,) = catalogue.locate(view.find_document_rows([make_document_id(turn.user, turn.id)]))
    places: list[int] = []
    while len(places) < REPLIES and (place := catalogue.after[place]) >= 0 and kept[place]:
        places.append(int(place))
    return _get_turns(view, catalogue, np.array(places, dtype=np.int64))


def _get_neighbours(
    view: View, catalogue: Catalogue, known: Mapping[int, Turn], kept: npt.NDArray[np.bool_]
) -> dict[int, Turn]:
    """The turns before and after those at some places, by their own places, other than those that are known."""
    links = (catalogue.before, catalogue.after)
    around = {int(link[place]) for link in links for place in known} - set(known)
    wanted = sorted(place for place in around if place >= 0 and kept[place])
    return dict(zip(wanted, _get_turns(view, catalogue, np.array(wanted, dtype=np.int64)), strict=True))


def _decide_outcome(ranking: Ranking) -> RecallOutcome:
    if ranking.words < _KNOWN and ranking.probability < _LIKELY:
        return "topic_unknown"
    return "recorded" if ranking.probability >= _LIKELY else "none_recorded"


def _had_happened(turn: Turn, as_of: Span) -> bool:
    """Whether a turn tells of something that had begun by a day: what it tells of, else when it was said."""
    times = [item.span for item in turn.happenings] or [turn.said]
    return any(span.start < as_of.end for span in times)


def _get_place(span: Span) -> int:
    """Where a time is in an order: at its start, and where that is open, at its end."""
    return span.end if span.start == OPEN_START else span.start
