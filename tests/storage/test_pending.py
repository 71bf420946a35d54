"""Documents that are stored before their vectors are made: what is found until then, and that nothing is mixed up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from epochal.api import Index
from epochal.backends.sharded.store import ShardedBackend
from epochal.errors import EpochalError, IndexLockedError
from epochal.ingest import make_vectors
from epochal.storage import building, pending
from epochal.storage.check import check
from epochal.storage.pending import wait_for_maker
from epochal.storage.protocol import list_pending
from epochal.storage.records import Dating, Document, Entry, Passage
from epochal.storage.store import Store
from epochal.times.span import Span
from storage.letters import Letters

WORDS = "rain snow frost hail wind fog storm flood drought heat thaw dew".split()
DOCUMENTS = [
    Document(f"{word}-{year}", f"There was much {word} in {year}.", published=f"{year}-05-01")
    for year in range(1990, 2000)
    for word in WORDS
]


@pytest.fixture
def folder(tmp_path):
    """An index of 120 documents without vectors."""
    with Index.create(tmp_path / "index", encoder=Letters()) as index:
        assert index.add(DOCUMENTS, fast=True).added == len(DOCUMENTS)
        assert index.encoder.encoded == 0
    return tmp_path / "index"


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr("epochal.ingest._PENDING_BATCH", 50)


def count_pending(folder):
    with Store.open(folder) as store:
        return len(list_pending(store.view()))


def describe(response):
    return [(hit.id, hit.score, hit.relevance) for hit in response.hits], response.outcome, response.applied


def change(folder, document, *, fast=False):
    with Index.open(folder, Letters()) as other:
        return other.add([document], fast=fast)


def test_with_their_vectors_they_are_what_they_would_be(folder, tmp_path, small_batches):
    with Index.create(tmp_path / "other", encoder=Letters()) as other, Index.open(folder, Letters()) as index:
        other.add(DOCUMENTS)
        batches = []
        assert index.make_vectors(progress=batches.append) == len(DOCUMENTS)
        assert batches == [50, 50, 20]
        views = index.view(), other.view()
        assert (views[0].get_vectors(views[0].alive) == views[1].get_vectors(views[1].alive)).all()
        assert list(index.documents()) == list(other.documents()) == DOCUMENTS
        for question in ("much snow in 1995", "fog", "latest storm", "wind between 1991 and 1993"):
            assert describe(index.search(question, now=2004)) == describe(other.search(question, now=2004))
    assert check(folder).findings == ()
    assert check(folder).pending == 0


def test_until_then_words_and_times_find_them(folder):
    with Index.open(folder, Letters()) as index:
        response = index.search("much snow in 1995")
        assert (response[0].id, response.outcome) == ("snow-1995", "recorded")
        (applied,) = [item for item in response.applied if item.name == "pending"]
        assert applied.sentence == (
            "120 of 120 passages have no vectors yet: they are found by their words and times alone"
        )
        assert not applied.strict
        assert response.to_dict()["applied"]
        assert index.make_vectors() == 120
        assert index.search("much snow in 1995")[0].id == "snow-1995"
        assert not any(item.name == "pending" for item in index.search("much snow in 1995").applied)


def test_one_passage_is_said_in_the_singular(tmp_path):
    with Index.create(tmp_path / "index", encoder=Letters()) as index:
        index.add(DOCUMENTS[0])
        index.add(DOCUMENTS[1], fast=True)
        (applied,) = index.search("snow").applied
    assert applied.sentence == "1 of 2 passages has no vector yet: it is found by its words and times alone"


def test_a_document_without_a_vector_comes_before_those_with_one(tmp_path):
    late = Document("late", "The harbour of Vigo was closed in March 1999.", published="1999-03-09")
    with Index.create(tmp_path / "index", encoder="minilm") as index:
        index.add([*DOCUMENTS[:60], Document("port", "Ships wait at the port of Lugo.", published="1999-04-01")])
        index.add([late], fast=True)
        for question in ("the harbour of Vigo closed in March 1999", "harbour of Vigo closed"):
            response = index.search(question, now=2004)
            assert response[0].id == "late"
            assert response.outcome in ("recorded", "no_window")
            assert response[0].relevance > 0.5
        pending = response[0].relevance
        index.make_vectors()
        assert index.search(question, now=2004)[0].relevance == pytest.approx(pending, abs=0.2)


def test_vectors_that_are_stored_are_used_again(folder):
    with Index.open(folder, Letters()) as index:
        index.make_vectors()
        encoded = index.encoder.encoded
        moved = [Document(f"{item.id}-b", item.text, published=item.published) for item in DOCUMENTS[:5]]
        index.add([*moved, Document("new", "Something else.")], fast=True)
        assert len(list_pending(index.view())) == 1
        assert index.make_vectors() == 1
        assert index.encoder.encoded == encoded + 1


def test_nothing_to_make(folder, tmp_path):
    with Index.open(folder, Letters()) as index:
        index.make_vectors()
        generation = index.generation
        index.encoder.before = pytest.fail
        assert index.make_vectors() == 0
        assert index.generation == generation
        index.add(DOCUMENTS)
    with Index.create(tmp_path / "none", encoder=None) as index:
        index.add(DOCUMENTS[:2], fast=True)
        assert index.make_vectors() == 0
        assert index.search("rain").applied == ()


def test_an_encoder_that_is_fast_itself_leaves_nothing(tmp_path):
    with Index.create(tmp_path / "index", encoder="static") as index:
        index.add(DOCUMENTS[:5], fast=True)
        assert not len(list_pending(index.view()))
        assert index.make_vectors() == 0
        assert not any(item.name == "pending" for item in index.search("rain").applied)


def test_vector_searches_leave_them_out(folder):
    query = Letters().encode_queries(["much snow"])[0]
    with Index.open(folder, Letters()) as index:
        assert len(index.view().search_vectors(query, 10)) == 0
        index.add([Document("new", "Snow, hail and sleet.")])
        view = index.view()
        assert view.search_vectors(query, 10).rows.tolist() == [120]
        assert view.search_vectors(query, 10, np.array([3, 120])).rows.tolist() == [120]
        assert len(view.search_vectors(query, 10, np.array([3, 5]))) == 0
        assert view.with_dims(8).search_vectors(query[:8], 10).rows.tolist() == [120]
        index.delete("rain-1990")
        view = index.view()
        assert len(list_pending(view)) == 119
        assert view.search_vectors(query, 10).rows.tolist() == [120]
        assert len(index.search("snow", where={"id": ["snow-1991", "fog-1991"]}).hits) == 2
        assert index.search("snow", k=200, dims=8).applied[-1].name == "pending"


# ---------------------------------------------------------------- others that write meanwhile


def test_a_document_that_is_changed_meanwhile_keeps_its_new_text(folder, small_batches):
    changed = Document("snow-1990", "Quite another text of 1990.", published="1990-05-01")
    encoder = Letters(lambda texts: changes and change(folder, changes.pop()))
    for fast in (False, True):
        changes = [changed]
        with Index.open(folder, encoder) as index:
            if fast:
                index.delete([item.id for item in DOCUMENTS])
                index.add(DOCUMENTS, fast=True)
        with Index.open(folder, encoder) as index:
            index.make_vectors()
            assert index["snow-1990"].text == changed.text
            view = index.view()
            row = view.get_passage_rows(view.find_document_rows(["snow-1990"]))
            assert (view.get_vectors(row) == encoder.encode_queries([changed.text])).all()
        assert check(folder).findings == ()
        assert count_pending(folder) == 0


def test_a_document_that_is_deleted_meanwhile_stays_deleted(folder):
    def delete(texts):
        with Index.open(folder, Letters()) as other:
            other.delete("snow-1990")

    with Index.open(folder, Letters(delete)) as index:
        assert index.make_vectors() == 120
        assert "snow-1990" not in index
        assert len(index) == 119


def test_times_and_metadata_that_are_changed_meanwhile_stay(folder):
    text = DOCUMENTS[1].text
    new = Document("snow-1990", text, published="1990-05-02", meta={"source": "diary"})
    dated = Passage(0, len(text), (Dating(Span.year(1789), 0, 5),))

    def redate(texts):
        with Store.open(folder) as other:
            keys, vectors = (pending.PENDING,), np.zeros((1, 26), np.float32)
            other.add([Entry(new, (dated,), vectors, keys)])

    with Index.open(folder, Letters(redate)) as index:
        index.make_vectors()
        assert index["snow-1990"] == new
        view = index.view()
        (entry,) = view.get_entries(view.find_document_rows(["snow-1990"]))
        assert entry.passages == (dated,)
        assert entry.vectors.any()


def test_another_writer_is_waited_for(folder, small_batches):
    with ExitStack() as stack, Index.open(folder, Letters()) as index:
        other = stack.enter_context(Store.open(folder, write=True))
        waits = []

        def wait(seconds):
            waits.append(seconds)
            if len(waits) == 3:
                other.close()

        assert make_vectors(index._backend, index.encoder, wait=wait) == 120
        assert len(waits) == 3


def test_a_writer_that_never_ends_is_one_sentence(folder):
    with (
        Store.open(folder, write=True),
        Index.open(folder, Letters()) as index,
        pytest.raises(IndexLockedError, match="another writer has the index"),
    ):
        make_vectors(index._backend, index.encoder, wait=lambda seconds: None)
    assert count_pending(folder) == 120


def test_the_lock_is_held_as_before(folder):
    for write in (False, True):
        with Index.open(folder, Letters(), write=write) as index:
            index.add([Document(f"new-{write}", f"Something new, {write}.")], fast=True) if write else None
            index.make_vectors()
            with Store.open(folder) as other:
                if write:
                    with pytest.raises(IndexLockedError):
                        other.delete(["nobody"])
                else:
                    other.delete(["nobody"])


def test_vectors_that_are_made_while_others_are_delayed_are_made_once(folder, small_batches):
    with Index.open(folder, Letters()) as index, index.bulk():
        index.add([Document("new", "Something new.")], fast=True)
        assert index.make_vectors() == 121
        assert index.encoder.encoded == 121


def test_an_encoder_that_fails_leaves_what_was_stored(folder, small_batches):
    def fail(texts):
        if encoder.encoded > 60:
            raise EpochalError("the encoder does not answer")

    encoder = Letters(fail)
    with Index.open(folder, encoder) as index:
        with pytest.raises(EpochalError, match="does not answer"):
            index.make_vectors()
        assert len(list_pending(index.view())) == 70
        encoder.before = None
        assert index.make_vectors() == 70


# ---------------------------------------------------------------- the files


def test_they_stay_pending_in_copies_and_rebuilt_files(folder, tmp_path):
    with Index.open(folder, Letters()) as index:
        index.delete([item.id for item in DOCUMENTS[:100]])
        index.compact()
        index.backup(tmp_path / "copy")
    for place in (folder, tmp_path / "copy"):
        assert count_pending(place) == 20
        shutil.rmtree(place / "derived")
        assert count_pending(place) == 20
        assert check(place) == check(place)
        assert (check(place).findings, check(place).pending) == ((), 20)
    with Index.open(tmp_path / "copy", Letters()) as index:
        assert index.make_vectors() == 20


def test_a_wrong_list_of_them_is_found(folder, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr(building, "_find_pending", lambda *_: {})
        shutil.rmtree(folder / "derived")
        Store.open(folder).close()
    finding, *_ = check(folder).findings
    assert "not made yet" in finding.what
    assert finding.mended
    assert count_pending(folder) == 120


def test_replaced_documents_do_not_stay(folder):
    with Index.open(folder, Letters()) as index:
        index.make_vectors()
    with Store.open(folder) as store:
        (count,) = store._connection.execute("SELECT count(*) FROM documents").fetchone()
    assert count == len(DOCUMENTS)


def test_cells_wait_for_vectors(folder, monkeypatch):
    pytest.importorskip("faiss")
    monkeypatch.setattr(building, "LARGE", 50)
    with Index.open(folder, Letters()) as index:
        index.add([Document("new", "Snow, hail and sleet.")])
        assert index.view()._manifest.probes == 0
        index.make_vectors()
        assert index.view()._manifest.probes != 0


def test_other_stores_refuse(tmp_path):
    with (
        Store.create(tmp_path / "one", "letters@letters-1", 26) as store,
        Index(ShardedBackend.of([store]), Letters()) as index,
    ):
        with pytest.raises(EpochalError, match="only an index in a folder can; leave out fast"):
            index.add(DOCUMENTS[:1], fast=True)
        index.add(DOCUMENTS[:1])
        assert index.make_vectors() == 0


def test_one_makes_vectors_and_one_waits(tmp_path, monkeypatch):
    monkeypatch.setattr(pending, "_DAYS", 0.0)
    with wait_for_maker(tmp_path) as first:
        assert first
        with wait_for_maker(tmp_path) as second:
            assert not second
    with wait_for_maker(tmp_path) as third:
        assert third


# ---------------------------------------------------------------- processes


MAKER = Path(__file__).with_name("vector_maker.py")


def start_maker(folder, size, *waits):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(MAKER.parents[1]), *sys.path])}
    command = [sys.executable, str(MAKER), str(folder), str(size), *waits]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def test_readers_go_on_while_they_are_made(folder):
    left = 120
    with Index.open(folder, Letters()) as reader, start_maker(folder, 20) as maker:
        for line in maker.stdout:
            response = reader.search("much snow in 1995")
            assert (response[0].id, response.outcome) == ("snow-1995", "recorded")
            assert len(reader) == 120
            pending = len(list_pending(reader.view()))
            assert pending <= left - int(line)
            left = left - int(line)
        errors = maker.stderr.read()
    assert (maker.returncode, errors, left) == (0, "", 0)
    assert check(folder).findings == ()
    assert check(folder).pending == 0


@pytest.mark.parametrize("delay", [0, 0.03])
def test_whoever_is_killed_leaves_whole_batches(folder, delay):
    left, runs = 120, 0
    while left:
        runs += 1
        with start_maker(folder, 20, "wait") as maker:
            told = int(maker.stdout.readline() or 0)
            if told < left:
                maker.stdin.write("\n")  # it goes on with the next batch, and waits behind it
                maker.stdin.flush()
            try:
                maker.wait(timeout=delay)  # lets it get some way into the next batch
            except subprocess.TimeoutExpired:
                maker.kill()
            told += sum(map(int, maker.stdout.read().split()))
        report = check(folder)
        assert report.is_sound
        assert (report.documents, report.pending % 20) == (120, 0)
        assert report.pending in (left - told, left - told - 20)
        left = report.pending
        with Index.open(folder, Letters()) as index:
            assert index.search("much snow in 1995")[0].id == "snow-1995"
            assert sorted(item.id for item in index.documents()) == sorted(item.id for item in DOCUMENTS)
    assert runs > 2
