"""The tables, and how an older set of them becomes the present one: step by step, in one transaction.

Everything lies in the schema `epochal`. A *space* is a number that stands for the rows of one namespace; it changes
when the namespace is compacted. Policies of row-level security let a role see the rows of the namespace that its
connection has named, where that namespace is open to the role.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from epochal.errors import StorageError

if TYPE_CHECKING:
    from epochal.backends.postgres.driver import Connection

__all__ = ["MIGRATIONS", "NEVER", "TABLES", "check_version", "migrate", "version_of"]

#: The generation in which living documents die.
NEVER: Final = 2**63 - 1
#: The tables that have a column `space`.
TABLES: Final = ("documents", "passages", "dead", "times", "vectors", "segments", "postings")

#: Taken by whoever changes the tables.
_LOCK: Final = 0x45504F43
_LEAST_VECTOR: Final = (0, 8)

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

_POLICIES: Final = "\n".join(
    f"""
ALTER TABLE epochal.{table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE epochal.{table} FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON epochal.{table} USING (space = ANY ((SELECT epochal.current_spaces())::int8[]));
"""
    for table in TABLES
)

#: What makes version 1 of nothing, version 2 of version 1, and so on. What has been released is never changed here.
MIGRATIONS: Final[tuple[str, ...]] = (_FIRST + _POLICIES,)


def version_of(connection: Connection[Any]) -> int:
    """The version of the tables that are there; 0 for none.

    >>> version_of.__name__
    'version_of'
    """
    # The catalogue itself is asked: what a connection remembers of names may be older than another's migration.
    (there,) = connection.execute(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'epochal' AND c.relname = 'schema_version')"
    ).fetchone()
    if not there:
        return 0
    (version,) = connection.execute("SELECT coalesce(max(version), 0) FROM epochal.schema_version").fetchone()
    return int(version)


def check_version(version: int, shown: str, known: int = len(MIGRATIONS)) -> None:
    """Complain of tables that a newer version of Epochal has made.

    >>> check_version(9, "postgresql://db/news", known=1)
    Traceback (most recent call last):
    ...
    epochal.errors.StorageError: the tables at postgresql://db/news are of version 9, but this version of Epochal knows
    versions up to 1; install the newer one
    """
    if version > known:
        raise StorageError(
            f"the tables at {shown} are of version {version}, but this version of Epochal knows versions up to {known}"
            f"; install the newer one"
        )


def migrate(connection: Connection[Any], shown: str, migrations: Sequence[str] = MIGRATIONS) -> int:
    """Bring the tables to the present version, whole or not at all; the version that they had.

    >>> migrate.__name__
    'migrate'
    """
    before = version_of(connection)
    check_version(before, shown, len(migrations))
    if before == len(migrations):
        return before
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        before = version_of(connection)  # another may have done it meanwhile
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


def _check_server(connection: Connection[Any], shown: str) -> None:
    """The server must hold all of Unicode, and have a pgvector that can go on looking where a filter leaves too few."""
    (encoding,) = connection.execute("SHOW server_encoding").fetchone()
    if encoding != "UTF8":
        raise StorageError(
            f"the database at {shown} is encoded as {encoding}, which cannot hold every text; make one with ENCODING "
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
    if tuple(int(part) for part in version.split(".")[:2]) < _LEAST_VECTOR:
        raise StorageError(f"the server at {shown} has pgvector {version}; accepted: 0.8 or later")
