"""Mail (single messages and mbox files) and feeds (RSS and Atom files) as rows."""

from __future__ import annotations

import email
import email.policy
import mailbox
from collections.abc import Iterator
from email.message import EmailMessage, Message
from pathlib import Path
from typing import Any, Final, cast
from xml.etree import ElementTree

from epochal.errors import InputError
from epochal.storage.importers.html_pages import html_text
from epochal.storage.importers.pages import read_whole
from epochal.storage.importers.rows import LONGEST, Meter, Row, measure_size

#: Headers of a message that go to `meta`.
_HEADERS: Final = ("from", "to", "cc", "list-id", "in-reply-to")
#: The longest header that is parsed: the time of Python's parser grows with the square of the length.
_PARSED: Final = 2_000
_NAMES: Final = {
    "id": ("guid", "id", "link"),
    "title": ("title",),
    "text": ("encoded", "content", "description", "summary"),
    "published": ("pubDate", "published", "date", "issued", "updated"),
    "author": ("creator", "author"),
}


def mail_rows(path: Path, name: str, own: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """The one row of a file with a message."""
    content = read_whole(path, name, meter, longest)
    if isinstance(content, Row):
        yield content
        return
    yield _read_message(content, name, 0, own)


def mbox_rows(path: Path, name: str, own: str, meter: Meter) -> Iterator[Row]:
    """A row for each message of an mbox file."""
    box = mailbox.mbox(path, create=False)
    try:
        for number, key in enumerate(box.keys(), 1):
            yield _read_message(box.get_bytes(key), name, number, f"{own}:{number}")
    finally:
        box.close()
    meter.add(measure_size(path))


def _read_message(content: bytes, name: str, line: int, own: str) -> Row:
    try:
        message = email.message_from_bytes(content, policy=email.policy.default)
        return _make_message_row(message, name, line, own)
    except RecursionError:
        return Row(name, line, problem="the parts of the message are nested too deeply")


def _make_message_row(message: Message, name: str, line: int, own: str) -> Row:
    subject = _read_header(message, "subject")
    values: dict[str, Any] = {"text": _read_body(cast("EmailMessage", message)) or subject}
    for key, header in (("title", "subject"), ("published", "date")):
        if value := _read_header(message, header):
            values[key] = value
    values["id"] = _read_header(message, "message-id").strip("<>") or own
    for header in _HEADERS:
        if value := _read_header(message, header):
            values[header] = value
    if not values["text"].strip():
        return Row(name, line, problem="the message has no text")
    return Row(name, line, values)


def _read_header(message: Message, name: str) -> str:
    raw = next((value for key, value in message.raw_items() if key.lower() == name), "")
    if len(raw) > _PARSED:
        return " ".join(str(raw).split())
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, IndexError, AttributeError):  # headers that Python's parser stumbles over
        return ""


def _read_body(message: EmailMessage) -> str:
    """The text of a message: its plain part, else the text of its HTML."""
    try:
        body = message.get_body(("plain", "html"))
        content = "" if body is None else str(body.get_content())
    except (LookupError, ValueError, AttributeError, UnicodeError):
        payload = message.get_payload(decode=True)
        return payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
    return html_text(content) if body is not None and body.get_content_subtype() == "html" else content


def feed_rows(path: Path, name: str, meter: Meter, longest: int = LONGEST) -> Iterator[Row]:
    """A row for each entry of an RSS or Atom file."""
    content = read_whole(path, name, meter, longest)
    if isinstance(content, Row):
        raise InputError(name, 0, f"is longer than the {longest:,} bytes that are read")
    if b"<!ENTITY" in content[:10_000]:
        raise InputError(
            name, 0, "declares entities of its own, which are not read; accepted: RSS and Atom without any"
        )
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise InputError(name, 0, f"is not XML: {error}") from None
    entries = [item for item in root.iter() if _get_name(item) in ("item", "entry")]
    if not entries:
        raise InputError(name, 0, "is no feed; accepted: XML with RSS items or Atom entries")
    for number, entry in enumerate(entries, 1):
        yield Row(name, number, _read_entry(entry), given={"id": f"{path.name}:{number}"})


def _get_name(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _read_entry(entry: ElementTree.Element) -> dict[str, Any]:
    parts: dict[str, str] = {}
    for child in entry:
        text = "".join(child.itertext()).strip() or child.get("href", "")
        parts.setdefault(_get_name(child), text)
    values: dict[str, Any] = {}
    for key, names in _NAMES.items():
        if value := next((parts[other] for other in names if parts.get(other)), ""):
            values[key] = html_text(value) if key in ("text", "title") else value
    values.setdefault("text", values.get("title", ""))
    if link := parts.get("link"):
        values["link"] = link
    return values
