"""Does a search within a window of time find all of the best over PostgreSQL too, and what does it cost there?

    python studies/postgres_windows.py [--quick] [--server URL] [--no-hnsw]

Makes the table of windows over PostgreSQL in docs/results/backends.md. The documents, queries and windows are those of
narrow_windows.py. PostgreSQL is compared with the embedded store, and with plain pgvector: the same vectors, the same
HNSW index, the same rows as a condition. Without a server's URL one is started for the run; the package that does so
has, for arm64, a pgvector that needs SVE, and on a processor without it HNSW is left out, unless EPOCHAL_POSTGRES_BIN
names the programs of another PostgreSQL 18. --quick takes few documents, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from _record import Row, save
from _servers import start_servers
from narrow_windows import (
    AXIS,
    CENTRES,
    COUNT,
    DIM,
    LENGTH,
    LONGEST,
    QUESTIONS,
    SEED,
    SLACK,
    VOCABULARY,
    ClusteredEncoder,
    Floats,
    K,
    Method,
    Task,
    World,
    make_tasks,
    measure,
    search_window,
)

from epochal.api import Index
from epochal.backends.postgres.connection import PostgresAddress, connect
from epochal.storage.protocol import Rows, View
from epochal.storage.store import Store

SHARES = (0.001, 0.01, 0.1, 1.0)
NAMESPACE = "postgres_windows"
#: What must find everything: PostgreSQL where a window keeps little.
OWN = (
    "vectors: PostgreSQL",
    "words: PostgreSQL",
    "strict search by vectors: PostgreSQL",
    "strict search by words: PostgreSQL",
)


def can_build_hnsw() -> bool:
    """Whether the pgvector that comes with the package that starts servers can build HNSW on this processor."""
    if platform.machine() not in ("aarch64", "arm64") or os.environ.get("EPOCHAL_POSTGRES_BIN"):
        return True
    features = Path("/proc/cpuinfo")
    return not features.exists() or " sve " in features.read_text(encoding="utf-8").replace("\n", " ")


class PlainPgvector:
    """pgvector by itself: its HNSW index, with the rows of the window as a condition."""

    def __init__(self, address: str, space: int) -> None:
        self.connection = connect(PostgresAddress.parse(address))
        self.space = space
        for name in ("enable_seqscan", "enable_bitmapscan", "enable_sort"):
            self.connection.execute("SELECT set_config(%s, 'off', false)", (name,))

    def search(self, task: Task, breadth: int, scan: str) -> list[int]:
        with self.connection.pipeline(), self.connection.transaction():
            for name, value in (("hnsw.ef_search", str(breadth)), ("hnsw.iterative_scan", scan)):
                self.connection.execute("SELECT set_config(%s, %s, true)", (name, value))
            answer = self.connection.execute(
                "SELECT row FROM epochal.vectors WHERE space = %s AND row = ANY(%s::int8[]) "
                f"ORDER BY embedding::vector({DIM}) <#> %s::vector({DIM}) LIMIT {K}",
                (self.space, task.rows, f"[{','.join(map(repr, task.vector.tolist()))}]"),
            )
        return [row for (row,) in answer]


@contextmanager
def fill_stores(
    world: World, model: ClusteredEncoder, home: Path, address: str
) -> Iterator[tuple[Index, Index, dict[str, float]]]:
    """Both stores with the same documents, and the seconds that indexing took."""
    took = {}
    with Index.create(home / "index", encoder=model) as embedded, Index.create(address, encoder=model) as postgres:
        for name, index in (("embedded", embedded), ("PostgreSQL", postgres)):
            start = time.perf_counter()
            index.add(world.documents(), read=world.read)
            took[name] = round(time.perf_counter() - start, 1)
        yield embedded, postgres, took


def list_methods(
    embedded: Index, postgres: Index, near: View, far: View, plain: PlainPgvector | None
) -> dict[str, Method]:
    def semantic(task: Task) -> Floats:
        return task.semantic

    def lexical(task: Task) -> Floats:
        return task.lexical

    def get_rows(task: Task) -> Rows | None:
        return None if task.mask.all() else task.rows

    methods = {
        "vectors: embedded": Method(lambda task: near.search_vectors(task.vector, K, get_rows(task)).rows, semantic),
        "vectors: PostgreSQL": Method(lambda task: far.search_vectors(task.vector, K, get_rows(task)).rows, semantic),
        "words: embedded": Method(lambda task: near.search_words(task.text, K, get_rows(task)).rows, lexical),
        "words: PostgreSQL": Method(lambda task: far.search_words(task.text, K, get_rows(task)).rows, lexical),
    }
    if plain is not None:
        for breadth, scan in ((K, "off"), (200, "off"), (200, "strict_order"), (200, "relaxed_order")):
            name = f"vectors: plain HNSW, ef_search {breadth}, iterative_scan {scan}"
            methods[name] = Method(lambda task, breadth=breadth, scan=scan: plain.search(task, breadth, scan), semantic)
    for name, index in (("embedded", embedded), ("PostgreSQL", postgres)):
        for scorer, by, truth in (("dense", "vectors", semantic), ("bm25", "words", lexical)):
            methods[f"strict search by {by}: {name}"] = Method(
                lambda task, index=index, scorer=scorer: [row for row, _ in search_window(index, task, scorer)], truth
            )
    return methods


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small run that writes nothing")
    parser.add_argument("--no-hnsw", action="store_true", help="leave out HNSW, which some servers die of; see above")
    parser.add_argument("--server", metavar="URL", help="a PostgreSQL with pgvector; one is started unless given")
    arguments = parser.parse_args(argv)
    count, questions = (2_000, 3) if arguments.quick else (COUNT, QUESTIONS)
    world, model = World.make(count), ClusteredEncoder()
    vectors = model.encode_documents([world.text(row) for row in range(count)])
    has_index = not arguments.no_hnsw and (arguments.server is not None or can_build_hnsw())
    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory() as temporary,
        start_servers(1, [arguments.server] if arguments.server else []) as (url,),
    ):
        option = f"hnsw_from={count // 2}" if has_index else "search=exact"
        address = f"{url}&namespace={NAMESPACE}&statement_timeout=600&{option}"
        remove_namespace(address)
        try:
            with fill_stores(world, model, Path(temporary), address) as (embedded, postgres, took):
                near, far = Store.open(Path(temporary) / "index").view(), postgres.view()
                plain = PlainPgvector(address, far.space) if has_index else None  # type: ignore[attr-defined]
                for share in SHARES:
                    tasks = make_tasks(world, model, vectors, share, questions)
                    rows += measure(share, tasks, list_methods(embedded, postgres, near, far, plain))
                if plain is not None:
                    plain.connection.close()
        finally:
            remove_namespace(address)
    if arguments.quick:
        print(json.dumps(rows, indent=2))
        return
    save(
        "postgres_windows",
        f"recall@{K} within a window of time against brute force, and the time it takes, over PostgreSQL with "
        "pgvector, beside the embedded store and beside pgvector's HNSW with the window as a condition",
        f"{count:,} documents of {LENGTH} words (Zipf, {VOCABULARY:,} words), vectors of {DIM} dimensions about "
        f"{CENTRES:,} centres, spans of a day to {LONGEST} days in {AXIS.edtf()}; {questions} questions a share, each "
        f"with its own window. Client and server on one machine. Scores that differ by less than {SLACK} of "
        "themselves count as equal. Without a window PostgreSQL walks through its HNSW index",
        SEED,
        rows,
        seconds_to_index=took,
        hnsw=has_index,
        target=f"recall@{K} 1.000 where a window keeps 0.1, 1 and 10 %",
        reached={name: all(row["least recall"] == 1 for row in select_narrow(rows, name)) for name in OWN},
    )


def select_narrow(rows: Sequence[Row], method: str) -> list[Row]:
    return [row for row in rows if row["what"] == method and row["window keeps"] < 1]


def remove_namespace(address: str) -> None:
    """Remove what an earlier run, or this one, has left on the server."""
    from epochal.storage.addresses import get_provider

    provider = get_provider(address)
    if provider.exists(address):
        provider.remove(address)


if __name__ == "__main__":
    main()
