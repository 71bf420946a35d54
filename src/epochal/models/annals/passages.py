"""Passages of one length out of sentences, and the file that holds them: a passage a line."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from epochal.errors import EpochalError, InputError
from epochal.files import write_atomically
from epochal.models.annals.cleaning import Stream, cleaned, is_mandoku
from epochal.models.annals.exclusion import Exclusion
from epochal.models.annals.script import is_simplified, to_traditional
from epochal.models.annals.sources import Source

__all__ = ["LONGEST", "SCRIPTS", "gathered", "packed", "read_passages", "write_passages"]

#: Characters of a passage: 256 positions less [CLS] and [SEP].
LONGEST: Final = 254
#: Simplified texts made traditional, left as they are, or both ways.
SCRIPTS: Final = ("traditional", "source", "both")
#: A passage of fewer characters teaches nothing about the ones around it.
_SHORTEST: Final = 8


def packed(stream: Stream, longest: int = LONGEST) -> list[str]:
    """Sentences that follow one another, as many to a passage as it holds; one too long for it is cut.

    >>> packed(["元年春，王正月。", "三月，公及邾儀父盟于蔑。", "夏五月，鄭伯克段于鄢。"], longest=24)
    ['元年春，王正月。三月，公及邾儀父盟于蔑。', '夏五月，鄭伯克段于鄢。']
    """
    found: list[str] = []
    held = ""
    for sentence in stream:
        if held and len(held) + len(sentence) > longest:
            found.append(held)
            held = ""
        held += sentence
        while len(held) > longest:
            found.append(held[:longest])
            held = held[longest:]
    return [passage for passage in (*found, held) if len(passage) >= _SHORTEST]


def gathered(
    sources: Iterable[Source],
    *,
    script: str = "traditional",
    exclusion: Exclusion | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[str]:
    """The passages of texts, cleaned, each once, in the order of the texts.

    >>> gathered([Source("a.txt", "元年春，王正月。\\n三月，公及邾儀父盟于蔑。")])
    ['元年春，王正月。三月，公及邾儀父盟于蔑。']
    >>> gathered([], script="latin")
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: the script is 'latin'; accepted: traditional, source, both
    """
    if script not in SCRIPTS:
        raise EpochalError(f"the script is {script!r}; accepted: {', '.join(SCRIPTS)}")
    convert: Callable[[str], str] | None = None
    found: dict[str, None] = {}
    for source in sources:
        forms = [source.text]
        # Old prints have a few of the simplified forms as variants; they stay as they were printed.
        if script != "source" and not is_mandoku(source.text) and is_simplified(source.text):
            convert = convert or to_traditional()
            made = convert(source.text)
            forms = [made] if script == "traditional" else [made, source.text]
        for form in forms:
            for stream in cleaned(form):
                found.update(dict.fromkeys(packed(exclusion.kept(stream) if exclusion else stream)))
        if tell:
            tell(source.name)
    return list(found)


def write_passages(path: Path, passages: Sequence[str]) -> int:
    """Write passages, a line each, in xz where the name ends so; the bytes written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "passages.txt.xz"
    >>> write_passages(path, ["元年春，王正月。"]) > 0, read_passages(path)
    (True, ['元年春，王正月。'])
    """
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


def read_passages(path: Path, longest: int = LONGEST) -> list[str]:
    """The passages of a file, a line each, none longer than `longest`.

    >>> read_passages(Path("no/passages.txt"))
    Traceback (most recent call last):
    ...
    epochal.errors.InputError: no/passages.txt: the passages cannot be read: No such file or directory;
    make them with: epochal train annals-encoder --from FILES --prepare no/passages.txt
    """
    try:
        data = path.read_bytes()
        text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode()
    except OSError as error:
        make = f"epochal train annals-encoder --from FILES --prepare {path}"
        problem = f"the passages cannot be read: {error.strerror}; make them with: {make}"
        raise InputError(str(path), 0, problem) from error
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(str(path), 0, f"this is no whole file of passages ({error})") from error
    found = [line for line in text.split("\n") if line]
    for number, passage in enumerate(found, 1):
        if len(passage) > longest:
            raise InputError(str(path), number, f"the passage has {len(passage)} characters; accepted: up to {longest}")
    if not found:
        raise InputError(str(path), 0, "the file holds no passage")
    return found
