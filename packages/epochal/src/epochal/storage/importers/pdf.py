"""The text of PDF files, through pypdf. Pages that are only pictures have none."""

from __future__ import annotations

import datetime as dt
import io
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from epochal.errors import MissingExtraError
from epochal.storage.importers.pages import read_whole
from epochal.storage.importers.rows import LONGEST, Meter, Row
from epochal.storage.importers.text_dates import TextDate, find_date
from epochal.times.axis import Grain
from epochal.times.span import Span

_HYPHEN: Final = re.compile(r"(?<=[^\W\d_A-Z])-\n(?=[^\W\d_A-Z])")
#: Fields of the metadata that go to `meta`, as pypdf calls them.
_KEPT: Final = ("author", "subject")


def load_pypdf() -> Any:
    """The library that reads PDF; an error that names the extra where it is not installed."""
    try:
        import pypdf
    except ImportError:
        raise MissingExtraError("reading PDF files", "pypdf", "pdf") from None
    # What it warns of in a file is no matter of the user's; a handler keeps it from stderr.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    return pypdf


def pdf_rows(
    path: Path, name: str, own: str, meter: Meter, longest: int = LONGEST, *, dates_from_text: bool = True
) -> Iterator[Row]:
    """The one row of a PDF file. Its own text, its name or its path date it, else the date of its metadata."""
    content = read_whole(path, name, meter, longest)
    if isinstance(content, Row):
        yield content
        return
    try:
        yield _make_row(load_pypdf(), content, name, own, dates_from_text=dates_from_text)
    except MissingExtraError as error:
        yield Row(name, 0, problem=str(error))


def _make_row(pypdf: Any, content: bytes, name: str, own: str, *, dates_from_text: bool) -> Row:
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return Row(name, 0, problem="the PDF has a password; accepted: PDF files without one")
        text = "\n\n".join(page.extract_text() for page in reader.pages)
        values = _read_metadata(reader.metadata)
    except Exception as error:  # noqa: BLE001 - a broken file may break the library anywhere
        return Row(
            name, 0, problem=f"cannot be read as PDF: {str(error).partition(chr(10))[0] or type(error).__name__}"
        )
    text = _HYPHEN.sub("", text.encode("utf-8", "replace").decode()).strip()
    if not text:
        return Row(name, 0, problem="the PDF has no text; pages that are pictures must go through OCR first")
    given: dict[str, Any] = {"id": own}
    created = values.pop("created", None)
    if dates_from_text:
        found = find_date(text, own) or created
        if found is not None:
            given["published"], given["found"] = found.span, found
    return Row(name, 0, {**values, "text": text}, given=given)


def _read_metadata(metadata: Any) -> dict[str, Any]:
    """Title, author, subject, and the day on which the file was made, as far as they can be read."""
    values: dict[str, Any] = {}
    if metadata is None:
        return values
    if isinstance(metadata.title, str) and metadata.title.strip():
        values["title"] = metadata.title.strip()
    for key in _KEPT:
        value = getattr(metadata, key)
        if isinstance(value, str) and value.strip():
            values[key] = value.strip()
    try:
        created = metadata.creation_date
    except (ValueError, TypeError, AttributeError):  # a date that is none
        created = None
    if isinstance(created, dt.datetime):
        span = Span.unit(Span.of(created).start, Grain.DAY)
        values["created"] = TextDate(span, "metadata", f"CreationDate of the PDF: {created.date().isoformat()}")
    return values
