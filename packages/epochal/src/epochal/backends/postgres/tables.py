"""The tables and their migrations, namespaces, and snapshots of one namespace.

Everything lies in the schema `epochal`. A *space* is the number of the rows of one namespace; compacting changes
it. Row-level security lets a role see the rows of the namespace that its connection has named, where it has access.

Rows are kept until the index is compacted, so a snapshot is a few counts and holds nothing open. Each query also
checks, in the same round trip, that the rows are still those of the snapshot.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, TypeVar

from epochal.backends.postgres.connection import Connections, PostgresAddress
from epochal.errors import EpochalError, IndexLockedError, StorageError

if TYPE_CHECKING:
    from epochal.backends.postgres.connection import Connection

#: The generation in which living documents die.
NEVER: Final = 2**63 - 1
_FIRST_TABLES: Final = ("documents", "passages", "dead", "times", "vectors", "segments", "postings")
#: The tables that have a column `space`.
TABLES: Final = (*_FIRST_TABLES, "fields")

#: Taken by whoever changes the tables.
_LOCK: Final = 0x45504F43
_MIN_VECTOR_VERSION: Final = (0, 8)

_FIRST: Final = f"""
CREATE SEQUENCE epochal.spaces;

CREATE TABLE epochal.namespaces (
    name text COLLATE "C" PRIMARY KEY,
    role name,
    space int8 NOT NULL UNIQUE,
    building int8 UNIQUE,
    encoder text NOT NULL,
    dim int4 NOT NULL,
    longest float8 NOT NULL DEFAULT 0,
    hnsw boolean NOT NULL DEFAULT false,
    generation int8 NOT NULL DEFAULT 0,
    documents int8 NOT NULL DEFAULT 0,
    passages int8 NOT NULL DEFAULT 0,
    tokens int8 NOT NULL DEFAULT 0,
    dead int8 NOT NULL DEFAULT 0,
    dead_documents int8 NOT NULL DEFAULT 0,
    seen_generation int8 NOT NULL DEFAULT 0,
    seen_documents int8 NOT NULL DEFAULT 0,
    seen_passages int8 NOT NULL DEFAULT 0,
    seen_tokens int8 NOT NULL DEFAULT 0,
    seen_dead int8 NOT NULL DEFAULT 0,
    seen_dead_documents int8 NOT NULL DEFAULT 0
);
COMMENT ON COLUMN epochal.namespaces.role IS 'who may use the namespace: members of this role; anybody where null';

CREATE TABLE epochal.documents (
    space int8 NOT NULL,
    row int8 NOT NULL,
    id text COLLATE "C" NOT NULL,
    born int8 NOT NULL,
    died int8 NOT NULL DEFAULT {NEVER},
    first_passage int8 NOT NULL,
    passages int4 NOT NULL,
    series_code int8 NOT NULL,
    hash bytea NOT NULL,
    published bytea,
    published_span int8range,
    valid bytea,
    valid_span int8range,
    series text,
    meta json NOT NULL,
    nuls int4[],
    title text NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (space, row)
);
CREATE UNIQUE INDEX documents_id ON epochal.documents (space, id, died);
CREATE INDEX documents_died ON epochal.documents (space, died) WHERE died < {NEVER};
CREATE INDEX documents_published ON epochal.documents USING gist ((int8range(space, space, '[]')), published_span)
    WHERE published_span IS NOT NULL;
CREATE INDEX documents_valid ON epochal.documents USING gist ((int8range(space, space, '[]')), valid_span)
    WHERE valid_span IS NOT NULL;

CREATE TABLE epochal.passages (
    space int8 NOT NULL,
    row int8 NOT NULL,
    document int8 NOT NULL,
    start_char int4 NOT NULL,
    end_char int4 NOT NULL,
    length int4 NOT NULL,
    length_code int2 NOT NULL,
    title_tokens int4 NOT NULL,
    codes bytea NOT NULL,
    PRIMARY KEY (space, row)
);

CREATE TABLE epochal.dead (space int8 NOT NULL, row int8 NOT NULL, died int8 NOT NULL, PRIMARY KEY (space, row));

CREATE TABLE epochal.times (
    space int8 NOT NULL,
    row int8 NOT NULL,
    place int4 NOT NULL,
    dating bytea NOT NULL,
    token int4 NOT NULL,
    tokens int4 NOT NULL,
    span int8range NOT NULL,
    PRIMARY KEY (space, row, place)
);
CREATE INDEX times_span ON epochal.times USING gist ((int8range(space, space, '[]')), span);

CREATE TABLE epochal.vectors (
    space int8 NOT NULL,
    row int8 NOT NULL,
    key bytea NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (space, row)
);
ALTER TABLE epochal.vectors ALTER COLUMN embedding SET STORAGE MAIN;
CREATE INDEX vectors_key ON epochal.vectors (space, key);

CREATE TABLE epochal.segments (
    space int8 NOT NULL, first int8 NOT NULL, past int8 NOT NULL, PRIMARY KEY (space, first)
);

CREATE TABLE epochal.postings (
    space int8 NOT NULL,
    first int8 NOT NULL,
    token text COLLATE "C" NOT NULL,
    count int4 NOT NULL,
    rows bytea NOT NULL,
    counts bytea NOT NULL,
    PRIMARY KEY (space, first, token)
);
ALTER TABLE epochal.postings ALTER COLUMN rows SET STORAGE EXTERNAL;
ALTER TABLE epochal.postings ALTER COLUMN counts SET STORAGE EXTERNAL;

ALTER TABLE epochal.namespaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE epochal.namespaces FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON epochal.namespaces USING (
    name = current_setting('epochal.namespace', true) AND (role IS NULL OR pg_has_role(role, 'member'))
);
CREATE FUNCTION epochal.current_spaces() RETURNS int8[] LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
    SELECT coalesce(array_agg(s), '{{}}') FROM epochal.namespaces n, unnest(ARRAY[n.space, n.building]) s
    WHERE n.name = current_setting('epochal.namespace', true) AND s IS NOT NULL
$$;
"""


def _make_policies(tables: Sequence[str]) -> str:
    return "\n".join(
        f"""
ALTER TABLE epochal.{table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE epochal.{table} FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON epochal.{table} USING (space = ANY ((SELECT epochal.current_spaces())::int8[]));
"""
        for table in tables
    )


#: Who may use the documents may use what is derived from them.
_SECOND: Final = """
CREATE TABLE epochal.fields (
    space int8 NOT NULL,
    name bytea NOT NULL,
    value bytea NOT NULL,
    row int8 NOT NULL,
    PRIMARY KEY (space, name, value, row)
);
ALTER TABLE epochal.namespaces ADD COLUMN fields boolean NOT NULL DEFAULT false;
DO $$
DECLARE given record;
BEGIN
    FOR given IN SELECT grantee, privilege_type FROM information_schema.role_table_grants
        WHERE table_schema = 'epochal' AND table_name = 'documents' AND grantee <> current_user
    LOOP
        EXECUTE format('GRANT %s ON epochal.fields TO %s', given.privilege_type,
            CASE given.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE quote_ident(given.grantee) END);
    END LOOP;
END $$;
"""

#: The checksums of the passages with their times and of the vectors; documents from before have none.
_THIRD: Final = "ALTER TABLE epochal.documents ADD COLUMN sums int8[];"

#: What makes version 1 of nothing, version 2 of version 1, and so on. What has been released is never changed here.
MIGRATIONS: Final[tuple[str, ...]] = (
    _FIRST + _make_policies(_FIRST_TABLES),
    _SECOND + _make_policies(["fields"]),
    _THIRD,
)


def read_version(connection: Connection[Any]) -> int:
    """The version of the tables that are there; 0 for none."""
    # The catalogue itself is asked: what a connection remembers of names may be older than another's migration.
    (there,) = connection.execute(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'epochal' AND c.relname = 'schema_version')"
    ).fetchone()
    if not there:
        return 0
    (version,) = connection.execute("SELECT coalesce(max(version), 0) FROM epochal.schema_version").fetchone()
    return int(version)


def check_version(version: int, shown: str, newest: int = len(MIGRATIONS)) -> None:
    """Complain of tables that a newer version of Epochal has made."""
    if version > newest:
        raise StorageError(
            f"the tables at {shown} are of version {version}, but this version of Epochal knows versions up to {newest}"
            f"; install the newer one"
        )


def migrate(connection: Connection[Any], shown: str, migrations: Sequence[str] = MIGRATIONS) -> int:
    """Bring the tables to the present version, whole or not at all; the version that they had."""
    before = read_version(connection)
    check_version(before, shown, len(migrations))
    if before == len(migrations):
        return before
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        before = read_version(connection)  # another may have done it meanwhile
        check_version(before, shown, len(migrations))
        if not before:
            _check_server(connection, shown)
            connection.execute("CREATE SCHEMA IF NOT EXISTS epochal")
            connection.execute(
                "CREATE TABLE epochal.schema_version "
                "(version int4 PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())"
            )
        for version, statements in enumerate(migrations[before:], before + 1):
            connection.execute(statements)
            connection.execute("INSERT INTO epochal.schema_version (version) VALUES (%s)", (version,))
    return before


def _check_server(connection: Connection[Any], output: str) -> None:
    """The server must hold all of Unicode, and have a pgvector that can go on looking where a filter leaves too few."""
    (encoding,) = connection.execute("SHOW server_encoding").fetchone()
    if encoding != "UTF8":
        raise StorageError(
            f"the database at {output} is encoded as {encoding}, which cannot hold every text; make one with ENCODING "
            f"'UTF8'"
        )
    # Without a path the extension would be put where only this connection finds it.
    connection.execute("SELECT set_config('search_path', 'public', true)")
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    (version, home) = connection.execute(
        "SELECT extversion, quote_ident(nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
        "WHERE extname = 'vector'"
    ).fetchone()
    connection.execute("SELECT set_config('search_path', %s, false)", (f"pg_catalog, epochal, {home}",))
    if tuple(int(part) for part in version.split(".")[:2]) < _MIN_VECTOR_VERSION:
        raise StorageError(f"the server at {output} has pgvector {version}; accepted: 0.8 or later")


#: Half of the key of a writer's lock; the other half is drawn from the name.
_WRITER: Final = 0x45504F
_RAISE: Final = (
    "UPDATE epochal.namespaces SET seen_generation = generation, seen_documents = documents, "
    "seen_passages = passages, seen_tokens = tokens, seen_dead = dead, seen_dead_documents = dead_documents "
    "WHERE name = %s"
)


@dataclass(frozen=True, slots=True)
class Namespace:
    """An index as its row has it: first what is written, then what searches find of it.

    `dead` counts the passages of deleted and replaced documents. Rows are numbered from 0 without a gap, so that
    `passages` is both how many there are and what the next will be called.
    """

    space: int
    encoder: str
    dim: int
    longest: float
    hnsw: bool
    fields: bool
    generation: int
    documents: int
    passages: int
    tokens: int
    dead: int
    dead_documents: int
    seen_generation: int
    seen_documents: int
    seen_passages: int
    seen_tokens: int
    seen_dead: int
    seen_dead_documents: int
    #: Which tables these are; tables that were restored from a dump are others.
    origin: str


#: Whoever restores a dump creates the tables anew, or at least their rows, in another transaction.
_ORIGIN: Final = (
    "(SELECT 'epochal.documents'::regclass::oid::text || '/' || xmin::text FROM epochal.schema_version "
    "WHERE version = 1)"
)
_COLUMNS: Final = ", ".join(_ORIGIN if field.name == "origin" else field.name for field in fields(Namespace))


def load(connection: Connection[Any], address: PostgresAddress) -> Namespace | None:
    """The row of a namespace as it is now; None where there is none, or no table yet.

    Tables of an older version are brought up to the present one.
    """
    if not read_version(connection):
        return None
    migrate(connection, address.shown)
    return load_known(connection, address)


def load_known(connection: Connection[Any], address: PostgresAddress) -> Namespace | None:
    """The same where the tables are known to be there."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM epochal.namespaces WHERE name = %s", (address.namespace,)
    ).fetchone()
    return None if row is None else Namespace(*row)


def create(connection: Connection[Any], address: PostgresAddress, encoder_name: str, dim: int) -> None:
    """Make a namespace, and the tables where there are none."""
    migrate(connection, address.shown)
    created = connection.execute(
        "INSERT INTO epochal.namespaces (name, space, encoder, dim, fields) "
        "VALUES (%s, nextval('epochal.spaces'), %s, %s, true) ON CONFLICT DO NOTHING RETURNING space",
        (address.namespace, encoder_name, dim),
    ).fetchone()
    if created is None:
        raise StorageError(f"{address.shown} holds an index already; open it, or choose another namespace")


def try_lock(connection: Connection[Any], address: PostgresAddress) -> bool:
    """Take the lock of the writer, which the connection holds until it ends; whether it was to be had."""
    (got,) = connection.execute(
        "SELECT pg_try_advisory_lock(%s, hashtext(%s))", (_WRITER, address.namespace)
    ).fetchone()
    return bool(got)


def lock(connection: Connection[Any], address: PostgresAddress) -> None:
    """Take the lock of the writer, or say at once that another has it."""
    if not try_lock(connection, address):
        raise IndexLockedError(f"another writer has the index {address.shown}; close it, or wait until it is done")


def make_visible(connection: Connection[Any], address: PostgresAddress) -> None:
    """Let searches find all that has been written."""
    connection.execute(_RAISE, (address.namespace,))


def hnsw_name(space: int) -> str:
    """The name of the index over the vectors of a space."""
    return f"vectors_hnsw_{int(space)}"


def remove(connection: Connection[Any], address: PostgresAddress) -> None:
    """Take a namespace away, with all of its rows."""
    with connection.transaction():
        namespace = load_known(connection, address)
        if namespace is None:
            return
        for table in TABLES:
            connection.execute(f"DELETE FROM epochal.{table} WHERE space = %s", (namespace.space,))
        connection.execute("DELETE FROM epochal.namespaces WHERE name = %s", (address.namespace,))
    if namespace.hnsw:
        connection.execute(f"DROP INDEX IF EXISTS epochal.{hnsw_name(namespace.space)}")


_SPACE: Final = f"SELECT space, {_ORIGIN} FROM epochal.namespaces WHERE name = %s"

Result = TypeVar("Result")


class PostgresSnapshot:
    """One state, for any number of threads to ask about."""

    def __init__(self, connections: Connections, state: Namespace) -> None:
        self._connections = connections
        self.state = state

    @property
    def shown(self) -> str:
        """The address, as it may be shown."""
        return self._connections.address.shown

    @property
    def is_exact(self) -> bool:
        """Whether the address asks for every vector to be compared."""
        return self._connections.address.search == "exact"

    def fetch(
        self, statement: str, values: Sequence[Any] | dict[str, Any], done: str = "read"
    ) -> list[tuple[Any, ...]]:
        """All rows of an answer, in the binary form of their types."""

        def ask(connection: Connection[Any]) -> tuple[list[tuple[Any, ...]], tuple[int, str] | None]:
            with connection.pipeline():
                answer = connection.execute(statement, values, binary=True)
                space = connection.execute(_SPACE, (self._connections.address.namespace,))
                return answer.fetchall(), space.fetchone()

        result, space = self._connections.run(done, ask)
        self._check(space)
        return result

    def run(self, ask: Callable[[Connection[Any]], Result], done: str = "read") -> Result:
        """Ask something that takes more than one statement, and changes nothing."""

        def whole(connection: Connection[Any]) -> tuple[Result, tuple[int, str] | None]:
            result = ask(connection)
            return result, connection.execute(_SPACE, (self._connections.address.namespace,)).fetchone()

        result, space = self._connections.run(done, whole)
        self._check(space)
        return result

    def _check(self, space: tuple[int, str] | None) -> None:
        if space is None or tuple(space) != (self.state.space, self.state.origin):
            raise StorageError(
                f"the index {self.shown} has been compacted, rebuilt or restored since this view of it was taken; take "
                f"a new one"
            )

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn what cannot be made of rows that were altered into one sentence."""
        try:
            yield
        except StorageError:
            raise
        except (EpochalError, ValueError, LookupError, TypeError, AttributeError, struct.error) as error:
            raise StorageError(
                f"the index {self.shown} holds what cannot be read ({error!r}); run `epochal check`, or restore a "
                f"backup"
            ) from error

    def lost(self, what: str) -> StorageError:
        """What to raise where rows are missing that must be there."""
        return StorageError(f"the index {self.shown} has lost {what}; run `epochal check`")
