"""Addresses: `postgresql://…` as libpq has it, with a namespace and a few wishes of our own among its options."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import unquote

from epochal.errors import EpochalError

__all__ = ["DEFAULT_NAMESPACE", "PostgresAddress"]

#: Where an index lies whose address names no namespace.
DEFAULT_NAMESPACE: Final = "main"

_OWN: Final = ("namespace", "statement_timeout", "pool", "search", "hnsw_from")
_LONGEST: Final = 200
_MOST_CONNECTIONS: Final = 100
#: Everything between the first colon behind the slashes and the last @ before the host is a password.
_PASSWORD: Final = re.compile(r"(?<=//)([^:/?@]*):[^/?]*@")
_SECRETS: Final = ("password", "sslpassword", "sslkey", "passfile")


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """An address, taken apart: `conninfo` is what libpq is given.

    `statement_timeout` is in seconds; 0 lets a statement take as long as it likes. `pool` is the most connections that
    readers have together. `search` may be "exact": then every vector that may be meant is compared. Otherwise an HNSW
    index is made, and used for broad searches, once there are `hnsw_from` passages.

    >>> address = PostgresAddress.parse("postgresql://ann:secret@db/news?namespace=wire&sslmode=require")
    >>> address.namespace, address.conninfo
    ('wire', 'postgresql://ann:secret@db/news?sslmode=require')
    >>> print(address)
    postgresql://ann:***@db/news?namespace=wire&sslmode=require
    """

    conninfo: str
    shown: str
    namespace: str = DEFAULT_NAMESPACE
    statement_timeout: float = 30.0
    pool: int = 8
    search: Literal["auto", "exact"] = "auto"
    hnsw_from: int = 50_000

    @classmethod
    def parse(cls, text: str | os.PathLike[str]) -> PostgresAddress:
        """Take an address apart.

        >>> PostgresAddress.parse("postgresql:///news?search=fast")
        Traceback (most recent call last):
        ...
        epochal.errors.EpochalError: search in postgresql:///news?search=fast must be auto or exact, but is 'fast'
        """
        url = os.fspath(text)
        place, _, options = url.partition("?")
        own: dict[str, str] = {}
        rest: list[str] = []
        told: list[str] = []
        # libpq's options are left as they are written: it reads a plus sign as a plus sign.
        for option in filter(None, options.split("&")):
            name, _, value = option.partition("=")
            if name in _OWN:
                own[name] = unquote(value)
            else:
                rest.append(option)
            told.append(f"{name}=***" if name in _SECRETS else option)
        shown = _PASSWORD.sub(r"\1:***@", place) + (f"?{'&'.join(told)}" if told else "")
        conninfo = place + (f"?{'&'.join(rest)}" if rest else "")
        search = own.get("search", "auto")
        if search not in ("auto", "exact"):
            raise EpochalError(f"search in {shown} must be auto or exact, but is {search!r}")
        return cls(
            conninfo,
            shown,
            _namespace(own.get("namespace", DEFAULT_NAMESPACE), shown),
            _number(own, "statement_timeout", shown, 30.0, 86_400),
            int(_number(own, "pool", shown, 8, _MOST_CONNECTIONS, least=1)),
            "exact" if search == "exact" else "auto",
            int(_number(own, "hnsw_from", shown, 50_000, 10**12)),
        )

    def __str__(self) -> str:
        return self.shown


def _namespace(name: str, shown: str) -> str:
    whole = not any("\ud800" <= char <= "\udfff" or char in "\0\ufffd" for char in name)
    if not name or len(name) > _LONGEST or not whole:
        raise EpochalError(
            f"the namespace in {shown} is {name!r}; accepted: a text of 1 to {_LONGEST} characters without NUL"
        )
    return name


def _number(own: dict[str, str], name: str, shown: str, default: float, most: float, least: float = 0) -> float:
    if name not in own:
        return default
    try:
        found = float(own[name])
    except ValueError:
        found = -1.0
    if not least <= found <= most:
        raise EpochalError(f"{name} in {shown} is {own[name]!r}; accepted: a number from {least:g} to {most:,g}")
    return found
