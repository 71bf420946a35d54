"""Damage to every file of an index: changed, cut, lengthened, removed and exchanged, and how it is noticed.

A trial damages one file of a copy of an index, and reads the index as a program would. Then either everything is what
an index built anew has (it was harmless, or repaired), or an error of Epochal says so, or - for the document database,
whose texts are not verified with every search - `check` finds it. Anything else is a fault.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from _chaos_children import Report, run_child
from _chaos_oracle import State, WrongError, compare_searches, describe_anew, describe_searches, read_state

from epochal.storage.check import check
from epochal.storage.store import Store
from storage.whole import DIM, entry

Harm = Callable[[Path, random.Random, list[Path]], None]


def change_bit(file: Path, rng: random.Random, others: list[Path]) -> None:
    """One bit is another."""
    data = bytearray(file.read_bytes())
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def change_run(file: Path, rng: random.Random, others: list[Path]) -> None:
    """Some bytes in a row are others."""
    data = bytearray(file.read_bytes())
    start = rng.randrange(len(data) + 1)
    size = min(rng.choice([4, 64, 4096]), len(data) - start)
    data[start : start + size] = rng.randbytes(size)
    file.write_bytes(data)


def clear_page(file: Path, rng: random.Random, others: list[Path]) -> None:
    """A page is zero, as after a power cut."""
    data = bytearray(file.read_bytes())
    start = 4096 * rng.randrange(len(data) // 4096 + 1)
    data[start : start + 4096] = bytes(len(data[start : start + 4096]))
    file.write_bytes(data)


def cut(file: Path, rng: random.Random, others: list[Path]) -> None:
    """The end is missing."""
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.truncate(rng.choice([0, size // 2, max(size - 1, 0), rng.randrange(size + 1)]))


def lengthen(file: Path, rng: random.Random, others: list[Path]) -> None:
    """Something comes after the end."""
    with file.open("ab") as opened:
        opened.write(rng.choice([b"\n", b"\0" * 4096, rng.randbytes(100), file.read_bytes()]))


def remove(file: Path, rng: random.Random, others: list[Path]) -> None:
    """The file is missing."""
    file.unlink()


def exchange(file: Path, rng: random.Random, others: list[Path]) -> None:
    """The file is a copy of another of the index."""
    shutil.copyfile(rng.choice([other for other in others if other != file]), file)


def scramble(file: Path, rng: random.Random, others: list[Path]) -> None:
    """All of the file is something else."""
    file.write_bytes(rng.randbytes(file.stat().st_size))


def become_folder(file: Path, rng: random.Random, others: list[Path]) -> None:
    """A folder has the name of the file."""
    file.unlink()
    file.mkdir()


HARMS: Final[dict[str, Harm]] = {
    "bit": change_bit,
    "run": change_run,
    "page": clear_page,
    "cut": cut,
    "lengthened": lengthen,
    "removed": remove,
    "exchanged": exchange,
    "scrambled": scramble,
    "folder": become_folder,
}


class Original(NamedTuple):
    """What a sound index holds, and what searches find in it."""

    state: State
    searches: dict[str, Any]


def build_original(folder: Path) -> Original:
    """An index with deleted and replaced documents, and a log that was not merged into the database yet."""

    def work(report: Report) -> None:
        store = Store.create(folder, "test", DIM)
        store.add([entry(f"d{number}", 1) for number in range(40)])
        store.delete(["d3", "d5"])
        store.add([entry(f"d{number}", 2) for number in range(10, 15)])
        state = read_state(store.view())
        report([state, describe_anew(state)])
        # The process ends without closing the index, so its log stays.

    ended = run_child(work)
    if ended.how != "done":
        raise WrongError(ended.message)
    return Original(*ended.reports[0])


def read_as_program(folder: Path, original: Original) -> Callable[[Report], None]:
    """Open, read and search an index, check it, and open it again."""

    def work(report: Report) -> None:
        with Store.open(folder) as store:
            problem = _compare(store, original)
            report(["read", problem, store.repairs])
        found = check(folder, repair=False)
        report(["check", found.is_sound, [finding.what for finding in found.findings][:2]])

    return work


def check_as_program(folder: Path) -> Callable[[Report], None]:
    """Check and repair an index, whose opening was refused."""

    def work(report: Report) -> None:
        report(check(folder, repair=True).is_sound)

    return work


def _compare(store: Store, original: Original) -> str:
    view = store.view()
    try:
        if (found := read_state(view)) != original.state:
            return f"{len(found)} documents instead of {len(original.state)}"
        compare_searches(describe_searches(view), original.searches)
    except WrongError as error:
        return str(error) or "an assertion"
    return ""


def judge(folder: Path, original: Original) -> tuple[str, str]:
    """What became of a damaged index: its outcome, and a message for a fault."""
    ended = run_child(read_as_program(folder, original), limit=60)
    if ended.how not in ("done", "refused"):
        return ended.how.partition(" ")[0], ended.message
    if "\n" in ended.message:
        return "raw", f"a message of several lines: {ended.message}"
    if ended.how == "refused":
        # Whatever was read before the refusal must have been right, and `check` must not hide the damage.
        if ended.reports and ended.reports[0][1]:
            return "found by check", ""
        after = run_child(check_as_program(folder), limit=60)
        if after.how not in ("done", "refused"):
            return after.how.partition(" ")[0], f"check: {after.message}"
        if after.how == "done" and after.reports[0]:
            again = run_child(read_as_program(folder, original), limit=60)
            if again.how != "done" or again.reports[0][1]:
                return "silent", f"check says that it is sound, but {again.message or again.reports}"
            return "repaired by check", ""
        return "refused", ""
    (_, problem, repairs), (_, is_sound, _) = ended.reports
    if problem and any("writes are missing" in repair for repair in repairs):
        return ("silent", "the loss was reported once only") if is_sound else ("loss reported", "")
    if problem:
        return ("silent", problem) if is_sound else ("found by check", "")
    return ("repaired", "") if repairs else ("harmless", "")


def list_files(folder: Path) -> list[Path]:
    """Every file of an index, by its path in the folder."""
    return sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())


def run_damage(place: Path, trials: int, seed: int) -> list[dict[str, Any]]:
    """So many trials over all files and kinds of damage, in turn; for each kind of file the outcomes."""
    rng = random.Random(seed)
    original, merged, victim = place / "original", place / "merged", place / "victim"
    place.mkdir(parents=True)
    sound = build_original(original)
    shutil.copytree(original, merged)
    run_child(lambda report: Store.open(merged, write=True).close())
    files = list_files(original)
    counts: dict[str, Counter[str]] = {}
    messages: dict[str, list[str]] = {}
    for number in range(trials):
        name = files[number // 2 % len(files)] if number % 2 else rng.choice(TRUTH)
        harm = rng.choice(list(HARMS))
        kind = describe_kind(name)
        shutil.rmtree(victim, ignore_errors=True)
        # Most of the database is hidden by its log where that was not merged yet.
        shutil.copytree(merged if name.name == "epochal.db" and rng.random() < 0.7 else original, victim)
        HARMS[harm](victim / name, rng, [victim / other for other in list_files(victim)])
        outcome, message = judge(victim, sound)
        counts.setdefault(kind, Counter())[outcome] += 1
        if outcome in ("silent", "raw", "hung", "signal"):
            messages.setdefault(kind, []).append(f"trial {number}, {harm} of {name}: {outcome}: {message}"[-1500:])
    return [
        {
            "part": "damage",
            "file": kind,
            "trials": sum(found.values()),
            **{outcome: found[outcome] for outcome in OUTCOMES},
            "faults": sum(found[outcome] for outcome in OUTCOMES[6:]),
            "messages": messages.get(kind, [])[:5],
        }
        for kind, found in sorted(counts.items())
    ]


#: Half of the trials damage the document database or its log.
TRUTH: Final = (Path("epochal.db"), Path("epochal.db"), Path("epochal.db"), Path("epochal.db-wal"))
OUTCOMES: Final = (
    "harmless",
    "repaired",
    "repaired by check",
    "refused",
    "found by check",
    "loss reported",
    "silent",
    "raw",
    "hung",
    "signal",
)


def describe_kind(name: Path) -> str:
    """The kind of a file, as the guide lists them."""
    if "words-" in str(name):
        return f"derived/set/words/*{name.suffix or '/' + name.name}"
    if "set-" in str(name):
        return "derived/set/columns"
    return str(name)
