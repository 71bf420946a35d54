"""`epochal tag`: find the time expressions of plain text, JSON rows or TimeML documents."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.cli.common import add_fiscal_option
from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.reading.expression import TimeExpr
    from epochal.times.span import Span

    #: Finds the time expressions of a text.
    Find = Callable[..., list[TimeExpr]]

_HELP = """formats:
  text    in: plain text. Out: one JSON object per expression and line
  jsonl   in: rows with text, and optional title, dct, published or now. Out: the rows with a key "times"
  timeml  in: TimeML, or folders of .tml files. Out: the same with TIMEX3 added; those in the input are dropped

examples:
  epochal tag report.txt --dct 1998-01-08
  epochal tag articles.jsonl -o tagged.jsonl
  epochal tag corpus/ --format timeml -o tagged/
"""
_FORMATS = ("text", "jsonl", "timeml")
_SUFFIXES = {".tml": "timeml", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_FIELDS = ("title", "text")
_DATES = ("dct", "published", "now")
_STDIN = Path("-")


def add_tag(commands: Any) -> None:
    """Add `epochal tag`."""
    parser = commands.add_parser(
        "tag",
        help="find the time expressions of texts",
        description="Find time expressions and their values in plain text, JSON rows or TimeML.",
        epilog=_HELP,
    )
    parser.add_argument("files", metavar="FILES", nargs="*", help="files, or folders of .tml files; stdin when none")
    parser.add_argument("--format", choices=_FORMATS, help="the format of the files; by their names unless given")
    parser.add_argument("--dct", metavar="DATE", help="the date of the texts ('now' for today), instead of their own")
    parser.add_argument(
        "--lang", default="auto", help="code of the language of the texts (en, de, zh, ...), or auto to detect it"
    )
    parser.add_argument(
        "--prefer",
        choices=("auto", "past", "future", "nearest"),
        default="auto",
        help="where a time lies that the words leave open ('on Friday', 'in May'); auto decides by the text",
    )
    add_fiscal_option(parser)
    parser.add_argument("--events", action="store_true", help="also find named events and periods ('the Korean War')")
    parser.add_argument("-o", "--out", metavar="OUT", help="write to this file, or folder for several TimeML files")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.files import StagedFiles
    from epochal.reading.fiscal import use_fiscal_calendar
    from epochal.reading.tagger import tag

    files = [Path(name) for name in arguments.files] or [_STDIN]
    form = arguments.format or _find_format(files)
    now = _parse_dct(arguments.dct)
    prefer = None if arguments.prefer == "auto" else arguments.prefer
    find = partial(tag, lang=arguments.lang, implicit=arguments.events, prefer=prefer)
    with use_fiscal_calendar(arguments.fiscal_year_start), StagedFiles() as staged:
        if form == "timeml":
            _tag_timeml(files, arguments, now, staged, find)
            return 0
        lines = _tag_text if form == "text" else _tag_rows
        output = (line for file in files for line in lines(file, len(files) > 1, now, find))
        if arguments.out is None:
            _write_bytes(f"{line}\n".encode() for line in output)
        else:
            with staged.open(_find_target(arguments.out, files)) as out:
                out.writelines(f"{line}\n".encode() for line in output)
    return 0


# ---------------------------------------------------------------- text and rows


def _tag_text(file: Path, named: bool, now: Span | None, find: Find) -> Iterator[str]:
    """Yield one line per expression; with several files each line names its file."""
    text = _decode(_read(file), str(file))
    _report_language(text, file, find)
    for expression in find(text, now=now):
        yield _format_line(({"file": str(file)} if named else {}) | expression.to_dict())


def _report_language(text: str, file: Path, find: Find) -> None:
    """Say on the error stream which language a text is in, if no tagger covers it."""
    from epochal.reading.shared.detect import detect_language

    if getattr(find, "keywords", {}).get("lang") != "auto":
        return
    detection = detect_language(text)
    if not detection.is_covered:
        name = "the text" if file == _STDIN else str(file)
        sys.stderr.write(f"{name} looks like {detection.name}, which is not covered; only dates in digits are read\n")


def _tag_rows(file: Path, _: bool, now: Span | None, find: Find) -> Iterator[str]:
    """Yield the rows of a file with their times."""
    for number, raw in enumerate(_iterate_lines(file), start=1):
        location = f"{'stdin' if file == _STDIN else file}, line {number}"
        line = _decode(raw, location)
        if not line.strip():
            continue
        row = _parse_row(line, location)
        own = now or _read_date(row, location)
        row["times"] = [
            {"field": field} | expression.to_dict()
            for field in _FIELDS
            if row.get(field)
            for expression in find(row[field], now=own)
        ]
        yield _format_line(row)


def _parse_row(line: str, location: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise EpochalError(f"{location} is not JSON ({error}); accepted: one object a line") from error
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise EpochalError(f"{location} has no text; accepted: an object with a string under the key 'text'")
    if not isinstance(row.get("title") or "", str):
        raise EpochalError(f"{location} has a title that is no string: {row['title']!r}")
    return row


def _read_date(row: dict[str, Any], location: str) -> Span | None:
    """Read the first date that a row has."""
    from epochal.times.span import Span

    for key in _DATES:
        if row.get(key) not in (None, ""):
            if not isinstance(row[key], str):
                raise EpochalError(f'{location}: {key} is {row[key]!r}; accepted: a date as text, such as "1998-01-08"')
            try:
                return Span.parse(row[key])
            except EpochalError as error:
                raise EpochalError(f"{location}: {key}: {error}") from error
    return None


def _format_line(record: dict[str, Any]) -> str:
    """Format a record as JSON that UTF-8 can encode: lone surrogates, which JSON rows may have, stay escaped."""
    line = json.dumps(record, ensure_ascii=False)
    return line if line.isascii() or not any("\ud800" <= char <= "\udfff" for char in line) else json.dumps(record)


# ---------------------------------------------------------------- TimeML


def _tag_timeml(files: list[Path], arguments: argparse.Namespace, now: Span | None, staged: Any, find: Find) -> None:
    many = len(files) > 1 or files[0].is_dir()
    if not many:
        data = _tag_document(files[0], now, find)
        if arguments.out is None:
            _write_bytes([data])
        else:
            with staged.open(_find_target(arguments.out, files)) as out:
                out.write(data)
        return
    if arguments.out is None:
        raise EpochalError("several TimeML files cannot go to one output; name a folder for them with -o")
    folder = Path(arguments.out)
    if folder.exists() and not folder.is_dir():
        raise EpochalError(f"-o {folder} is a file; accepted for several TimeML files: a folder, new or old")
    inputs: dict[str, Path] = {}
    for file in _list_documents(files):
        if file.name in inputs:
            raise EpochalError(f"{inputs[file.name]} and {file} would both be written to {folder / file.name}")
        inputs[file.name] = file
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EpochalError(f"cannot make the folder {folder}: {error.strerror}") from error
    for name, file in inputs.items():
        data = _tag_document(file, now, find)
        with staged.open(folder / name) as out:
            out.write(data)


def _list_documents(files: list[Path]) -> Iterator[Path]:
    for file in files:
        if file.is_dir():
            inside = sorted(file.glob("*.tml"))
            if not inside:
                raise EpochalError(f"the folder {file} has no .tml files")
            yield from inside
        else:
            yield file


def _tag_document(file: Path, now: Span | None, find: Find) -> bytes:
    """Tag one TimeML document; its own date is used unless another is given."""
    from epochal.reading.timeml import read_timeml, write_timeml

    try:
        document = read_timeml(_read(file))
    except EpochalError as error:
        raise EpochalError(f"{'stdin' if file == _STDIN else file}: {error}") from error
    return write_timeml(document, find(document.text, now=now or document.dct))


# ---------------------------------------------------------------- in and out


def _find_format(files: list[Path]) -> str:
    """Find the format of the files by their names."""
    forms = {"timeml" if file.is_dir() else _SUFFIXES.get(file.suffix.lower(), "text") for file in files}
    if len(forms) > 1:
        raise EpochalError(f"the files are of several formats ({', '.join(sorted(forms))}); say which with --format")
    return forms.pop()


def _parse_dct(text: str | None) -> Span | None:
    from epochal.times.axis import Grain
    from epochal.times.span import Span, SystemClock

    if text is None:
        return None
    if text == "now":
        return SystemClock().now().widen(Grain.DAY)
    try:
        return Span.parse(text)
    except EpochalError as error:
        raise EpochalError(f"--dct: {error}") from error


def _find_target(out: str, files: list[Path]) -> Path:
    """Find the output file: the file that is named, or one in the folder that is named, called like the input."""
    path = Path(out)
    if path.is_dir():
        if len(files) > 1 or files[0] == _STDIN:
            raise EpochalError(f"-o {out} is a folder; name a file for this output")
        return path / files[0].name
    return path


def _iterate_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file one at a time: rows may exceed memory."""
    if file == _STDIN:
        yield from sys.stdin.buffer if hasattr(sys.stdin, "buffer") else _read(file).splitlines()
        return
    try:
        with file.open("rb") as lines:
            yield from lines
    except OSError as error:
        raise EpochalError(f"cannot read {file}: {error.strerror}") from error


def _read(file: Path) -> bytes:
    if file == _STDIN:
        return sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else sys.stdin.read().encode()
    try:
        return file.read_bytes()
    except OSError as error:
        raise EpochalError(f"cannot read {file}: {error.strerror}") from error


def _decode(data: bytes, location: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EpochalError(f"{location} is not UTF-8 ({error}); save it as UTF-8") from error


def _write_bytes(parts: Iterable[bytes]) -> None:
    """Write bytes to stdout unchanged if it takes bytes, else decoded."""
    sys.stdout.flush()
    for part in parts:
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.buffer.write(part)
        else:
            sys.stdout.write(part.decode("utf-8", "backslashreplace"))
    sys.stdout.flush()
