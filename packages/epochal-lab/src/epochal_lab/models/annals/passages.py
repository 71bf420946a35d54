"""Passages for pretraining: texts read from files, cleaned, without the records of a test split, packed to one length.

Two kinds of text are recognised: mandoku, the format of the Kanseki Repository (`<pb:...>` for a page, `¶` for the end
of a printed line, `(left/right)` for a note in two half columns), and plain text with one paragraph per line. Prints
without punctuation separate entries by a ring or a blank, which becomes a full stop.
"""

from __future__ import annotations

import json
import lzma
import re
import statistics
import tarfile
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.reading.scripts import get_traditional_converter, is_simplified

#: Consecutive sentences.
Stream = list[str]

_WIDE: Final = str.maketrans(",;:?!()[]", "，；：？！（）〔〕")
#: Replaces characters of private fonts and entities.
_UNKNOWN: Final = "□"
_PRIVATE: Final = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff\ufffd〓]")
_ENTITY: Final = re.compile(r"&[A-Za-z0-9_+-]+;")
#: Everything but Han characters, their repetition and replacement signs, and punctuation.
_FOREIGN: Final = re.compile(
    "[^\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af々□，。、：；？！「」『』《》（）〔〕…—·]"
)
_END: Final = re.compile("(?<=[。！？])(?![」』）》〕。！？])|(?<=[。！？][」』）》〕])(?![」』）》〕。！？])")
_PAGE: Final = re.compile(r"<[^<>]*>")
_LABEL: Final = re.compile(r"^[\s\u3000]*[A-Za-z]?[0-9]+(?:\.[0-9]+)*[a-z]?")
_HEADING: Final = re.compile(r"^\*+\s*")
_NOTE: Final = re.compile(r"\(([^()]*)\)")
_RING: Final = re.compile("[○〇◯◍]")
_GAP: Final = re.compile("[ \u3000\t]+")
#: The first line of every fascicle of one edition.
_IMPRINT: Final = frozenset({"欽定四庫全書"})
_NUMBERED: Final = re.compile("^[一二三四五六七八九十百]+、")
_RUBRIC: Final = re.compile("【[^】]*】|\\[[^\\]]*\\]|〔[^〕]*〕|\\{[^}]*\\}")
#: A modern year that an editor added.
_OUR_ERA: Final = re.compile("[，,]?公元前?[〇零一二三四五六七八九十百千0-9]+年?")
#: A printed line shorter than this share of the usual one ends its paragraph.
_SHORT: Final = 0.6
#: Shorter notes are numbers and bare years, meaningless without their text.
_MIN_NOTE: Final = 4

_MARKS: Final = re.compile(r"[\W_]+")
#: In a longer sentence, as in prints without punctuation, only the match is cut out, with a margin.
_MAX_SENTENCE: Final = 120
_MARGIN: Final = 16
#: Files of parallel corpora with a modern rendering, alone or line by line with the old text.
MODERN: Final = frozenset({"target.txt", "bitext.txt", "translation.txt"})
_TEXT: Final = (".txt", ".txt.xz")
_TAR: Final = (".tar", ".tar.xz", ".tar.gz", ".tgz", ".txz")
#: Characters of a passage: 256 positions less [CLS] and [SEP].
MAX_LENGTH: Final = 254
#: Simplified texts are converted to traditional ones, left unchanged, or both.
SCRIPTS: Final = ("traditional", "source", "both")
#: Shorter passages give too little context.
_MIN_LENGTH: Final = 8


def is_mandoku(text: str) -> bool:
    """Return whether a text is in the format of the Kanseki Repository."""
    return "¶" in text or "<pb:" in text


def normalise_text(text: str) -> str:
    """Normalise a text: compatibility characters unified, wide punctuation, everything not Chinese dropped."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(unicodedata.normalize("NFKC", one) if "\u2e80" <= one <= "\u2fdf" else one for one in text)
    text = _PRIVATE.sub(_UNKNOWN, _ENTITY.sub(_UNKNOWN, text)).translate(_WIDE)
    return _FOREIGN.sub("", text)


def split_sentences(text: str) -> list[str]:
    """Split a text after its full stops, including closing quotation marks."""
    return [part for part in _END.split(text) if part]


def clean_text(text: str) -> list[Stream]:
    """Return the streams of a text: its main text, and separately its notes, both in order."""
    paragraphs = _split_mandoku(text) if is_mandoku(text) else _split_plain(text)
    main: Stream = []
    notes: Stream = []
    for paragraph in paragraphs:
        # A note that continues on the next printed line closes and reopens its brackets there.
        joined = paragraph.replace(")(", "").replace("/", "")
        for note in map(normalise_text, _NOTE.findall(joined)):
            if len(note) >= _MIN_NOTE:
                notes += split_sentences(_close_sentence(note))
        main += split_sentences(_close_sentence(normalise_text(_NOTE.sub("", joined))))
    return [stream for stream in (main, notes) if stream]


def _close_sentence(text: str) -> str:
    """End a text with punctuation, so that the next one does not run into it."""
    text = re.sub("。{2,}", "。", text).lstrip("。，、；：？！")
    return text if not text or text[-1] in "。！？」』）》…" else f"{text.rstrip('，、；：')}。"


def _split_plain(text: str) -> Iterator[str]:
    for line in text.splitlines():
        line = _OUR_ERA.sub("", _RUBRIC.sub("", _PAGE.sub("", line)))  # noqa: PLW2901
        line = _NUMBERED.sub("", line.strip())  # noqa: PLW2901
        if line:
            yield line


def _split_mandoku(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    printed = [(line, _GAP.sub("", _strip_markup(line))) for line in lines]
    marked = "。" in text
    usual = statistics.median([_measure_width(bare) for _, bare in printed if bare] or [0])
    parts: list[str] = []
    for line, bare in printed:
        if bare and bare not in _IMPRINT:
            parts.append(bare if marked else _GAP.sub("。", _RING.sub("。", _strip_markup(line))))
        heading = line.startswith("*")
        ended = heading or (not line.strip() if marked else bool(bare) and _measure_width(bare) < _SHORT * usual)
        if ended and parts:
            yield "".join(parts)
            parts = []
    if parts:
        yield "".join(parts)


def _strip_markup(line: str) -> str:
    line = _HEADING.sub("", _PAGE.sub("", line).replace("¶", ""))
    return _LABEL.sub("", line).strip(" \u3000\t")


def _measure_width(line: str) -> float:
    """Return the characters of a printed line; two of a note take the space of one."""
    notes = sum(len(note) for note in _NOTE.findall(line))
    return len(_NOTE.sub("", line)) + notes / 2


class Exclusion:
    """Removes texts that must not be read from streams of sentences, so that no model is pretrained on its test
    records.

    Punctuation is ignored, and `fold` may unify variants of characters. With `whole`, a sentence is removed if it
    contains a whole text of at least `run` characters (or a part of one that continues in the next sentences);
    otherwise, if it shares any `run` consecutive characters with one.
    """

    def __init__(
        self, texts: Iterable[str], run: int = 8, *, whole: bool = True, fold: Callable[[str], str] = str
    ) -> None:
        if run < 2:
            raise EpochalError(f"a text to leave out needs at least {run} characters; give 2 or more")
        self._run, self._whole, self._fold = run, whole, fold
        bare = {_MARKS.sub("", fold(text)) for text in texts}
        self._texts: dict[str, list[str]] = {}
        for text in sorted(text for text in bare if len(text) >= run):
            for first in range(1 if whole else len(text) - run + 1):
                self._texts.setdefault(text[first : first + run], []).append(text)

    def __len__(self) -> int:
        return len({text for texts in self._texts.values() for text in texts})

    def filter(self, stream: list[str]) -> list[str]:
        """Return the sentences of a stream without those that contain a text."""
        positions = [
            (row, column)
            for row, sentence in enumerate(stream)
            for column, one in enumerate(sentence)
            if not _MARKS.match(one)
        ]
        bare = self._fold("".join(stream[row][column] for row, column in positions))
        if len(bare) != len(positions):
            raise EpochalError("the form for comparison changes the length of a text; it must be one to one")
        touched: dict[int, set[int]] = {}
        for first, last in self._find_matches(bare):
            for row, column in positions[first:last]:
                touched.setdefault(row, set()).add(column)
        return [part for row, sentence in enumerate(stream) for part in _cut_out(sentence, touched.get(row, set()))]

    def _find_matches(self, bare: str) -> Iterable[tuple[int, int]]:
        run = self._run
        for first in range(len(bare) - run + 1):
            for text in self._texts.get(bare[first : first + run], ()):
                if not self._whole:
                    yield first, first + run
                elif bare.startswith(text, first):
                    yield first, first + len(text)


def _cut_out(sentence: str, touched: set[int]) -> list[str]:
    if not touched:
        return [sentence]
    if len(sentence) <= _MAX_SENTENCE:
        return []
    cut = {position for middle in touched for position in range(middle - _MARGIN, middle + _MARGIN + 1)}
    remaining = "".join("\n" if position in cut else one for position, one in enumerate(sentence))
    return [part for part in remaining.split("\n") if _MARKS.sub("", part)]


def read_held_out_texts(path: Path, where: Mapping[str, Collection[str]]) -> list[str]:
    """Read the texts of a JSONL of records whose metadata have one of the given values for each field."""
    texts = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(str(path), 0, f"the records to leave out cannot be read ({error})") from error
    for number, line in enumerate(lines, 1):
        try:
            row: Any = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(str(path), number, f"the row is no JSON ({error.msg})") from error
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise InputError(str(path), number, "the row has no text; accepted: an object with a text under 'text'")
        facts = row.get("metadata") or {}
        if all(str(facts.get(field)) in values for field, values in where.items()):
            texts.append(row["text"])
    return texts


@dataclass(frozen=True, slots=True)
class TextSource:
    """One text, and where it comes from."""

    name: str
    text: str


def read_sources(paths: Sequence[Path]) -> Iterator[TextSource]:
    """Yield every text of files (.txt, .txt.xz, .jsonl), of folders of these, and of tar archives of these, sorted by
    name.

    Files with a modern rendering (`MODERN`) are skipped. Rows of JSONL have a text under `text`.
    """
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file() and _is_readable(file.name))
            if not inside:
                raise InputError(str(path), 0, "the folder holds no .txt, .txt.xz or .jsonl file")
            for file in inside:
                yield from _read_file(file)
        elif not path.is_file():
            accepted = "accepted: files (.txt, .txt.xz, .jsonl), folders and tar archives of them"
            raise InputError(str(path), 0, f"there is no such file; {accepted}")
        elif path.name.endswith(_TAR):
            yield from _read_archive(path)
        elif _is_readable(path.name):
            yield from _read_file(path)
        else:
            raise InputError(str(path), 0, f"{path.suffix or 'no suffix'} is not read; accepted: .txt, .txt.xz, .jsonl")


def _is_readable(name: str) -> bool:
    return name not in MODERN and name.endswith((*_TEXT, ".jsonl"))


def _read_file(path: Path) -> Iterator[TextSource]:
    try:
        data = path.read_bytes()
        if path.name.endswith(".xz"):
            data = lzma.decompress(data)
    except OSError as error:
        raise InputError(str(path), 0, f"the file cannot be read: {error.strerror}") from error
    except lzma.LZMAError as error:
        raise InputError(str(path), 0, f"the file is no whole .xz file ({error})") from error
    yield from _parse_texts(str(path), data)


def _read_archive(path: Path) -> Iterator[TextSource]:
    try:
        with tarfile.open(path) as archive:
            members = [member for member in archive.getmembers() if member.isfile()]
            for member in sorted(members, key=lambda member: member.name):
                if _is_readable(PurePosixPath(member.name).name):
                    file = archive.extractfile(member)
                    if file is not None:
                        data = file.read()
                        name = f"{path}:{member.name}"
                        yield from _parse_texts(name, lzma.decompress(data) if name.endswith(".xz") else data)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise InputError(str(path), 0, f"the file is no whole tar archive ({error})") from error


def _parse_texts(name: str, data: bytes) -> Iterator[TextSource]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(name, 0, f"byte {error.start} is not UTF-8; accepted: text in UTF-8") from error
    if not name.endswith(".jsonl"):
        yield TextSource(name, text)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError(name, number, f"the row is no JSON ({error.msg})") from error
            if not isinstance(row, dict) or not isinstance(row.get("text"), str):
                raise InputError(name, number, "the row has no text; accepted: an object with a text under 'text'")
            yield TextSource(f"{name}:{number}", row["text"])


def pack_passages(stream: Stream, longest: int = MAX_LENGTH) -> list[str]:
    """Pack consecutive sentences into passages of at most `longest` characters; a longer sentence is cut."""
    passages: list[str] = []
    held = ""
    for sentence in stream:
        if held and len(held) + len(sentence) > longest:
            passages.append(held)
            held = ""
        held += sentence
        while len(held) > longest:
            passages.append(held[:longest])
            held = held[longest:]
    return [passage for passage in (*passages, held) if len(passage) >= _MIN_LENGTH]


def collect_passages(
    sources: Iterable[TextSource],
    *,
    script: str = "traditional",
    exclusion: Exclusion | None = None,
    report_progress: Callable[[str], None] | None = None,
) -> list[str]:
    """Return the cleaned passages of texts, each once, in the order of the texts."""
    if script not in SCRIPTS:
        raise EpochalError(f"the script is {script!r}; accepted: {', '.join(SCRIPTS)}")
    convert: Callable[[str], str] | None = None
    passages: dict[str, None] = {}
    for source in sources:
        forms = [source.text]
        # Old prints have some of the simplified forms as variants, which stay.
        if script != "source" and not is_mandoku(source.text) and is_simplified(source.text):
            convert = convert or get_traditional_converter()
            converted = convert(source.text)
            forms = [converted] if script == "traditional" else [converted, source.text]
        for form in forms:
            for stream in clean_text(form):
                passages.update(dict.fromkeys(pack_passages(exclusion.filter(stream) if exclusion else stream)))
        if report_progress:
            report_progress(source.name)
    return list(passages)


def write_passages(path: Path, passages: Sequence[str]) -> int:
    """Write passages, one per line, compressed if the name ends in .xz, and return the number of bytes."""
    data = "".join(f"{passage}\n" for passage in passages).encode()
    if path.suffix == ".xz":
        data = lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EpochalError(f"cannot write {path}: {error.strerror}") from error
    with write_atomically(path) as file:
        file.write(data)
    return len(data)


def read_passages(path: Path, longest: int = MAX_LENGTH) -> list[str]:
    """Read passages, one per line, none longer than `longest`."""
    try:
        data = path.read_bytes()
        text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode()
    except OSError as error:
        make = f"epochal train annals-encoder --from FILES --prepare {path}"
        problem = f"the passages cannot be read: {error.strerror}; make them with: {make}"
        raise InputError(str(path), 0, problem) from error
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(str(path), 0, f"this is no whole file of passages ({error})") from error
    passages = [line for line in text.split("\n") if line]
    for number, passage in enumerate(passages, 1):
        if len(passage) > longest:
            raise InputError(str(path), number, f"the passage has {len(passage)} characters; accepted: up to {longest}")
    if not passages:
        raise InputError(str(path), 0, "the file holds no passage")
    return passages
