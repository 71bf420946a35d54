"""Puts the derived tables into the package, before a wheel is built: an installed Epochal need not make them again."""

from __future__ import annotations

import os
import shutil

from epochal.tables import DERIVED


def main() -> None:
    """Make every table that is derived from the tables and rules of the package."""
    shutil.rmtree(DERIVED, ignore_errors=True)
    os.environ["EPOCHAL_CACHE"] = str(DERIVED)

    from epochal.reading.english.patterns import GRAMMAR
    from epochal.reading.events import load_events
    from epochal.reading.questions.cues import detect_cues
    from epochal.reading.shared.registry import SHARED_LANGUAGES, load_language
    from epochal.reading.shared.vocabulary import load_vocabulary
    from epochal.times.calendars.registry import calendars
    from epochal.times.calendars.regnal import RegnalCalendar

    load_events()
    detect_cues("when")
    _ = GRAMMAR.rules
    for code in SHARED_LANGUAGES:
        load_vocabulary(code)
        for grammar in load_language(code).grammars:
            _ = grammar.rules
    for calendar in calendars().values():
        if isinstance(calendar, RegnalCalendar):
            calendar.derive_tables()
    files = sorted(DERIVED.glob("*.json"))
    print(f"{len(files)} derived tables, {sum(path.stat().st_size for path in files) // 1024:,} KiB")


if __name__ == "__main__":
    main()
