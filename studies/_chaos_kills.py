"""Kills of processes in the middle of every kind of operation, and what must be there afterwards.

Half of the kills come at a moment, half before or after one of the calls that change files. What was acknowledged must
be there; what was under way may be there or not, but not by half.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from _chaos_children import Ended, Report, Work, run_child
from _chaos_oracle import State, WrongError, build, compare_searches, describe_anew, describe_searches, read_state

import epochal
from epochal import ingest
from epochal.storage.store import Store
from storage.whole import DIM, entry

IDS: Final = [f"d{number}" for number in range(40)]
#: Kills after which a world is made anew.
LIFE: Final = 40
#: Documents of an import, and of one of its writes.
IMPORTED, BATCH = 30, 8


def write_index(path: Path, change: Callable[[Store], object]) -> Work:
    """Work that opens an index for writing, changes it, and reports that it did."""

    def work(report: Report) -> None:
        with Store.open(path, write=True) as store:
            change(store)
            report("written")

    return work


def check_files(folder: Path) -> State:
    """The documents of an index, read by another process, and compared with those of an index built anew."""

    def work(report: Report) -> None:
        with Store.open(folder) as store:
            view = store.view()
            report([read_state(view), describe_searches(view)])

    state, found = _report(run_child(work))
    compare_searches(found, _describe_anew(frozenset(state.items())))
    return dict(state)


@lru_cache(maxsize=100)
def _describe_anew(items: frozenset[tuple[str, int]]) -> dict[str, Any]:
    """What searches must find; most states are looked at several times."""
    return dict(_report(run_child(lambda report: report(describe_anew(dict(items))))))


class World:
    """An index that is written to and killed, and what it must hold."""

    def __init__(self, place: Path, rng: random.Random) -> None:
        self.place, self.rng = place, rng
        self.live = place / "live"
        self.number = 0
        #: What the operations took that were not killed, and how many steps.
        self.seconds: dict[str, float] = {}
        self.steps: dict[str, int] = {}
        self.start()

    def start(self) -> None:
        """A new index."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        self.state: State = dict.fromkeys(self.rng.sample(IDS, 15), 1)
        self.build(self.live, self.state)
        self.documents: dict[str, int] = {}

    def build(self, folder: Path, state: State) -> None:
        """An index built anew, by another process."""
        ended = run_child(lambda report: build(folder, state))
        if ended.how != "done":
            raise WrongError(f"{ended.how}: {ended.message}")

    def name_folder(self, kind: str) -> Path:
        """A folder that is not there yet."""
        self.number += 1
        return self.place / f"{kind}-{self.number}"

    def kill(self, name: str, work: Work) -> Ended:
        """Run some work and kill it somewhere; the last of each ten runs to its end, which is measured."""
        moment = step = None
        if name in self.seconds and self.rng.random() < 0.95:
            if self.rng.random() < 0.5:
                moment = self.rng.uniform(0, 1.1 * self.seconds[name])
            else:
                step = self.rng.randint(1, max(self.steps[name], 1))
        is_measured = moment is None and step is None
        ended = run_child(work, kill_after=moment, kill_at_step=step, count_steps=is_measured)
        if ended.how == "done":
            self.seconds[name] = 0.7 * self.seconds.get(name, ended.seconds) + 0.3 * ended.seconds
            self.steps[name] = max(self.steps.get(name, 0), ended.steps)
        elif ended.how != "killed":
            raise WrongError(f"{ended.how}: {ended.message}")
        return ended

    def expect(self, ended: Ended, *possible: State) -> None:
        """The index must hold the last of the possible states, or any of them where it was not acknowledged."""
        found = check_files(self.live)
        accepted = possible[-1:] if ended.reports else possible
        if found not in accepted:
            raise WrongError(f"{found} is none of {accepted}")
        self.state = found

    def sample_ids(self, *, stored: bool) -> list[str]:
        """Some ids that are stored, or are not."""
        ids = [id for id in IDS if (id in self.state) == stored]
        return self.rng.sample(ids, min(len(ids), self.rng.randint(1, 6)))

    def next_version(self) -> int:
        """A number for documents that no other has."""
        self.number += 1
        return self.number


def add(world: World, *, stored: bool = False) -> Ended:
    """New documents."""
    new = dict.fromkeys(world.sample_ids(stored=stored), world.next_version())
    change = write_index(world.live, lambda store: store.add([entry(id, version) for id, version in new.items()]))
    ended = world.kill("replace" if stored else "add", change)
    world.expect(ended, world.state, {**world.state, **new})
    return ended


def replace(world: World) -> Ended:
    """Documents with the ids of others."""
    return add(world, stored=True)


def delete(world: World) -> Ended:
    """Documents that are deleted."""
    ids = world.sample_ids(stored=True)
    ended = world.kill("delete", write_index(world.live, lambda store: store.delete(ids)))
    world.expect(ended, world.state, {id: number for id, number in world.state.items() if id not in ids})
    return ended


def write_many(world: World) -> Ended:
    """Several writes whose derived files are made at the end; each is acknowledged by itself."""
    new = dict.fromkeys(world.rng.sample(IDS, 5), world.next_version())

    def work(report: Report) -> None:
        with Store.open(world.live, write=True) as store, store.bulk():
            for id, version in new.items():
                store.add([entry(id, version)])
                report(id)

    ended = world.kill("bulk", work)
    items = list(new.items())
    states = [{**world.state, **dict(items[:count])} for count in range(len(ended.reports), len(items) + 1)]
    found = check_files(world.live)
    if found not in states:
        raise WrongError(f"{found} is none of {states}")
    world.state = found
    return ended


def compact(world: World) -> Ended:
    """Deleted rows that are removed."""
    ended = world.kill("compact", write_index(world.live, Store.compact))
    world.expect(ended, world.state)
    return ended


def rebuild(world: World) -> Ended:
    """Derived files that are rebuilt."""
    shutil.rmtree(world.live / "derived")

    def work(report: Report) -> None:
        Store.open(world.live).close()

    ended = world.kill("rebuild", work)
    world.expect(ended, world.state)
    return ended


def backup(world: World) -> Ended:
    """A copy: it is not there, or it is whole; and it can be made again."""
    target = world.name_folder("backup")

    def work(report: Report) -> None:
        with Store.open(world.live) as store:
            store.backup(target)
            report("written")

    ended = world.kill("backup", work)
    if not (target / "epochal.db").exists():
        if ended.reports:
            raise WrongError("a backup that was acknowledged is not there")
        again = run_child(work)
        if again.how != "done":
            raise WrongError(f"a backup cannot be made again: {again.message}")
    if check_files(target) != world.state:
        raise WrongError("a backup holds something else than its original")
    world.expect(ended, world.state)
    shutil.rmtree(target)
    return ended


def restore(world: World) -> Ended:
    """The database alone is put in place of another, as the guide says; whoever is killed at it does it again."""
    saved = world.name_folder("saved")
    target_state = {id: world.next_version() for id in world.rng.sample(IDS, 8)}
    world.build(saved, target_state)

    def work(report: Report) -> None:
        for log in ("epochal.db-wal", "epochal.db-shm"):
            (world.live / log).unlink(missing_ok=True)
        shutil.copyfile(saved / "epochal.db", world.live / "restored")
        os.replace(world.live / "restored", world.live / "epochal.db")
        report("written")
        Store.open(world.live).close()

    ended = world.kill("restore", work)
    if not ended.reports:
        again = run_child(work)
        if again.how != "done":
            raise WrongError(f"a backup cannot be restored again: {again.message}")
        ended.reports = again.reports
    world.expect(ended, target_state)
    shutil.rmtree(saved)
    return ended


def swap(world: World) -> Ended:
    """Another index is moved in place of the index while a reader has it open; the reader sees one or the other."""
    following, away = world.name_folder("next"), world.name_folder("away")
    target_state = {id: world.next_version() for id in world.rng.sample(IDS, 8)}
    world.build(following, target_state)
    before = world.state

    def work(report: Report) -> None:
        with Store.open(world.live) as store:
            if read_state(store.view()) != before:
                raise WrongError("a reader sees another index before it is swapped")
            os.rename(world.live, away)
            if read_state(store.view()) != before:
                raise WrongError("a reader sees another index while it is swapped")
            os.rename(following, world.live)
            report("written")
            if read_state(store.view()) != target_state:
                raise WrongError("a reader sees the old index after it was swapped")

    ended = world.kill("swap", work)
    if not world.live.exists():  # killed between the two
        os.rename(following, world.live)
    elif not away.exists():
        world.expect(ended, before)
        os.rename(world.live, away)
        os.rename(following, world.live)
    if check_files(away) != before:
        raise WrongError("the index that was moved away holds something else")
    world.expect(ended, target_state)
    shutil.rmtree(away)
    return ended


def create(world: World) -> Ended:
    """A new index: it is not there, or it is whole and empty; and it can be created again."""
    folder = world.name_folder("created")

    def work(report: Report) -> None:
        Store.create(folder, "test", DIM).close()
        report("written")

    def work_again(report: Report) -> None:
        if not (folder / "epochal.db").exists():
            Store.create(folder, "test", DIM).close()
        with Store.open(folder, write=True) as store:
            store.add([entry("first", 1)])
            report(read_state(store.view()))

    ended = world.kill("create", work)
    again = run_child(work_again)
    if again.how != "done" or again.reports != [{"first": 1}]:
        raise WrongError(f"an index cannot be created again: {again.message} {again.reports}")
    shutil.rmtree(folder)
    return ended


def import_file(world: World) -> Ended:
    """A file of documents, part of which are there in another version; the same call again brings the rest."""
    folder, source = world.place / "imported", world.place / "rows.jsonl"
    version = world.next_version()
    rows = [
        {
            "id": f"r{number}",
            "text": f"In {1900 + (number * version) % 100} the bridge {version} was opened by {number}.",
        }
        for number in range(IMPORTED)
        if (number + version) % 3
    ]
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    def work(report: Report) -> None:
        ingest.BATCH = BATCH  # type: ignore[misc]
        with epochal.open(folder, encoder=None) as index:
            report(index.add(source).added)

    def check(report: Report) -> None:
        with epochal.open(folder, encoder=None) as index:
            report({document.id: document.text for document in index})

    def check_searches(report: Report) -> None:
        anew = world.name_folder("anew")
        with epochal.open(folder, encoder=None) as index, epochal.open(anew, encoder=None) as expected:
            expected.add([{"id": document.id, "text": document.text} for document in index])
            for question in ("bridge in 1950", f"bridge {version} before 1930", "opened after 1970"):
                found = [sorted(hit.id for hit in given.search(question, k=IMPORTED)) for given in (index, expected)]
                if found[0] != found[1]:
                    raise WrongError(f"{question!r} finds {found[0]} instead of {found[1]}")

    ended = world.kill("import", work)
    new = {str(row["id"]): str(row["text"]) for row in rows}
    found = _report(run_child(check))
    for id, text in found.items():
        if text not in (new.get(id), world.documents.get(id)):
            raise WrongError(f"document {id!r} was imported as {text!r}")
    if missing := world.documents.keys() - found.keys():
        raise WrongError(f"an import lost {missing}")
    _report(run_child(work))
    world.documents = {**world.documents, **new}
    if _report(run_child(check)) != world.documents:
        raise WrongError("an import that was repeated is not complete")
    searched = run_child(check_searches)
    if searched.how != "done":
        raise WrongError(f"{searched.how}: {searched.message}")
    return ended


def _report(ended: Ended) -> Any:
    if ended.how != "done":
        raise WrongError(f"{ended.how}: {ended.message}")
    return ended.reports[0]


OPERATIONS: Final[dict[str, Callable[[World], Ended]]] = {
    "add": add,
    "replace": replace,
    "delete": delete,
    "bulk": write_many,
    "compact": compact,
    "rebuild": rebuild,
    "backup": backup,
    "restore": restore,
    "swap": swap,
    "create": create,
    "import": import_file,
}


def run_kills(place: Path, kills: int, seed: int) -> list[dict[str, Any]]:
    """So many kills over all operations, in turn; for each operation how many runs, kills and faults there were."""
    rng = random.Random(seed)
    world = World(place, rng)
    counts: dict[str, Counter[str]] = {name: Counter() for name in OPERATIONS}
    faults: dict[str, list[str]] = {name: [] for name in OPERATIONS}
    done = 0
    while done < kills:
        for name, operation in OPERATIONS.items():
            try:
                ended = operation(world)
            except WrongError as error:
                counts[name]["faults"] += 1
                faults[name].append(f"seed {seed}, after {done} kills: {error}"[:2000])
                world.start()
                continue
            counts[name]["runs"] += 1
            counts[name]["killed"] += ended.how == "killed"
            done += ended.how == "killed"
        if sum(counts["add"].values()) % LIFE == 0:
            world.start()
    return [
        {
            "part": "kills",
            "operation": name,
            "runs": counts[name]["runs"] + counts[name]["faults"],
            "killed": counts[name]["killed"],
            "faults": counts[name]["faults"],
            "messages": faults[name][:5],
        }
        for name in OPERATIONS
    ]
