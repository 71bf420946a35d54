"""`epochal tag`: find the time expressions of texts, rows or TimeML documents."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.errors import EpochalError

__all__ = ["add"]

if TYPE_CHECKING:
    from epochal.reading.expression import TimeExpr
    from epochal.times.span import Span

    #: Finds the time expressions of a text.
    Find = Callable[..., list[TimeExpr]]

_HELP = """formats:
  text    in: plain text. Out: a JSON object an expression and line
  jsonl   in: rows with text, maybe title, and maybe dct, published or now. Out: the rows with a key "times"
  timeml  in: TimeML, or folders of .tml files. Out: the same with TIMEX3 put in; those already there are left out

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


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "tag",
        help="find the time expressions of texts",
        description="Find time expressions and say what they mean, in plain text, JSON rows or TimeML.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", metavar="FILES", nargs="*", help="files, or folders of .tml files; stdin when none")
    parser.add_argument("--format", choices=_FORMATS, help="what the files are; told by their names when left out")
    parser.add_argument("--dct", metavar="DATE", help="the date of the texts ('now' for the present), over their own")
    parser.add_argument("--lang", default="auto", help="language of the texts: auto, en or zh")
    parser.add_argument("--events", action="store_true", help="named events and periods count too ('the Korean War')")
    parser.add_argument("-o", "--out", metavar="OUT", help="write to this file, or folder for several TimeML files")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.files import StagedFiles
    from epochal.reading.tagger import tag

    files = [Path(name) for name in arguments.files] or [_STDIN]
    form = arguments.format or _form(files)
    now = _dct(arguments.dct)
    find = partial(tag, lang=arguments.lang, implicit=arguments.events)
    with StagedFiles() as staged:
        if form == "timeml":
            _tag_timeml(files, arguments, now, staged, find)
            return 0
        lines = _text_lines if form == "text" else _row_lines
        found = (line for file in files for line in lines(file, len(files) > 1, now, find))
        if arguments.out is None:
            _print(f"{line}\n".encode() for line in found)
        else:
            with staged.open(_target(arguments.out, files)) as out:
                out.writelines(f"{line}\n".encode() for line in found)
    return 0


# ---------------------------------------------------------------- text and rows


def _text_lines(file: Path, named: bool, now: Span | None, find: Find) -> Iterator[str]:
    """A line an expression; with several files each line names its own."""
    for expression in find(_decoded(_read(file), str(file)), now=now):
        yield _line(({"file": str(file)} if named else {}) | expression.to_dict())


def _row_lines(file: Path, _: bool, now: Span | None, find: Find) -> Iterator[str]:
    """The rows of a file with their times."""
    for number, raw in enumerate(_raw_lines(file), start=1):
        place = f"{'stdin' if file == _STDIN else file}, line {number}"
        line = _decoded(raw, place)
        if not line.strip():
            continue
        row = _row(line, place)
        own = now or _row_date(row, place)
        row["times"] = [
            {"field": field} | expression.to_dict()
            for field in _FIELDS
            if row.get(field)
            for expression in find(row[field], now=own)
        ]
        yield _line(row)


def _row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise EpochalError(f"{place} is not JSON ({error}); accepted: one object a line") from error
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise EpochalError(f"{place} has no text; accepted: an object with a string under the key 'text'")
    if not isinstance(row.get("title") or "", str):
        raise EpochalError(f"{place} has a title that is no string: {row['title']!r}")
    return row


def _row_date(row: dict[str, Any], place: str) -> Span | None:
    """The first of its dates that is there."""
    from epochal.times.span import Span

    for key in _DATES:
        if row.get(key) not in (None, ""):
            if not isinstance(row[key], str):
                raise EpochalError(f'{place}: {key} is {row[key]!r}; accepted: a date as text, such as "1998-01-08"')
            try:
                return Span.parse(row[key])
            except EpochalError as error:
                raise EpochalError(f"{place}: {key}: {error}") from error
    return None


def _line(record: dict[str, Any]) -> str:
    """JSON that UTF-8 can hold: half a surrogate pair, which JSON rows may have, stays an escape."""
    line = json.dumps(record, ensure_ascii=False)
    return line if line.isascii() or not any("\ud800" <= char <= "\udfff" for char in line) else json.dumps(record)


# ---------------------------------------------------------------- TimeML


def _tag_timeml(files: list[Path], arguments: argparse.Namespace, now: Span | None, staged: Any, find: Find) -> None:
    many = len(files) > 1 or files[0].is_dir()
    if not many:
        data = _tagged(files[0], now, find)
        if arguments.out is None:
            _print([data])
        else:
            with staged.open(_target(arguments.out, files)) as out:
                out.write(data)
        return
    if arguments.out is None:
        raise EpochalError("several TimeML files cannot go to one output; name a folder for them with -o")
    folder = Path(arguments.out)
    if folder.exists() and not folder.is_dir():
        raise EpochalError(f"-o {folder} is a file; accepted for several TimeML files: a folder, new or old")
    inputs: dict[str, Path] = {}
    for file in _documents(files):
        if file.name in inputs:
            raise EpochalError(f"{inputs[file.name]} and {file} would both be written to {folder / file.name}")
        inputs[file.name] = file
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EpochalError(f"cannot make the folder {folder}: {error.strerror}") from error
    for name, file in inputs.items():
        data = _tagged(file, now, find)
        with staged.open(folder / name) as out:
            out.write(data)


def _documents(files: list[Path]) -> Iterator[Path]:
    for file in files:
        if file.is_dir():
            inside = sorted(file.glob("*.tml"))
            if not inside:
                raise EpochalError(f"the folder {file} has no .tml files")
            yield from inside
        else:
            yield file


def _tagged(file: Path, now: Span | None, find: Find) -> bytes:
    """One document with TIMEX3 put in; its own date counts unless another is given."""
    from epochal.reading.timeml import read_timeml, write_timeml

    try:
        document = read_timeml(_read(file))
    except EpochalError as error:
        raise EpochalError(f"{'stdin' if file == _STDIN else file}: {error}") from error
    return write_timeml(document, find(document.text, now=now or document.dct))


# ---------------------------------------------------------------- in and out


def _form(files: list[Path]) -> str:
    """What the files are by their names."""
    forms = {"timeml" if file.is_dir() else _SUFFIXES.get(file.suffix.lower(), "text") for file in files}
    if len(forms) > 1:
        raise EpochalError(f"the files are of several formats ({', '.join(sorted(forms))}); say which with --format")
    return forms.pop()


def _dct(text: str | None) -> Span | None:
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


def _target(out: str, files: list[Path]) -> Path:
    """Where the output goes: into a folder under the name of the one file, or to the file named."""
    path = Path(out)
    if path.is_dir():
        if len(files) > 1 or files[0] == _STDIN:
            raise EpochalError(f"-o {out} is a folder; name a file for this output")
        return path / files[0].name
    return path


def _raw_lines(file: Path) -> Iterator[bytes]:
    """The lines of a file, one at a time: rows may be more than memory holds."""
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


def _decoded(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EpochalError(f"{place} is not UTF-8 ({error}); save it as UTF-8") from error


def _print(parts: Iterable[bytes]) -> None:
    """Bytes to stdout, as they are where it takes bytes."""
    sys.stdout.flush()
    for part in parts:
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.buffer.write(part)
        else:
            sys.stdout.write(part.decode("utf-8", "backslashreplace"))
    sys.stdout.flush()
