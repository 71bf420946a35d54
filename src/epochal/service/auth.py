"""Who may change documents: those who bring the token."""

from __future__ import annotations

import hashlib
import hmac

from epochal.service.problems import ProblemError
from epochal.service.settings import Settings

__all__ = ["check_token"]

_SCHEME = "bearer"


def check_token(settings: Settings, header: str | None) -> None:
    """Refuse a change where nothing may be changed, and from whoever does not bring the token.

    The time that it takes tells nothing of the token: digests are compared, of one length, in constant time.

    >>> writable = Settings("news", writable=True, token="0123456789abcdef")
    >>> check_token(writable, "Bearer 0123456789abcdef")
    >>> check_token(writable, "Bearer 0123456789abcdeX")
    Traceback (most recent call last):
    ...
    epochal.service.problems.ProblemError: the token is not the right one; accepted: Authorization: Bearer TOKEN
    """
    if not settings.writable:
        raise ProblemError("read-only", "this service is read-only; it can be started with --writable and a token")
    challenge = {"WWW-Authenticate": 'Bearer realm="epochal"'}
    scheme, _, given = (header or "").strip().partition(" ")
    accepted = "accepted: Authorization: Bearer TOKEN"
    if scheme.lower() != _SCHEME or not given.strip():
        raise ProblemError("no-token", f"documents are changed with a token only; {accepted}", headers=challenge)
    if not hmac.compare_digest(_digest(given.strip()), _digest(settings.token)):
        raise ProblemError("no-token", f"the token is not the right one; {accepted}", headers=challenge)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
