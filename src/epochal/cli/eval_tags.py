"""`epochal eval-tags`: how well a tagger's TimeML agrees with gold TimeML."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.bench.metrics.texts import AnnotatedText

__all__ = ["add"]

_HELP = """counted as TempEval-3 does, over all documents together:
  relaxed  gold and system expressions that overlap, paired one to one
  strict   pairs with the same extent
  value    pairs with the same value
  type     pairs of the same kind

example:
  epochal tag gold/ -o system/ && epochal eval-tags gold/ system/ --errors 20
"""


def add(commands: Any) -> None:
    """Add the command to the parser.

    >>> parser = argparse.ArgumentParser()
    >>> add(parser.add_subparsers())
    >>> parser.parse_args(["eval-tags", "gold", "system", "--errors", "5"]).errors
    5
    """
    parser = commands.add_parser(
        "eval-tags",
        help="score TimeML against gold TimeML",
        description="Score the TIMEX3 of TimeML files against gold ones: precision, recall and F1, whole and by kind.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("gold", metavar="GOLD", help="a TimeML file, or a folder of .tml files")
    parser.add_argument("system", metavar="SYSTEM", help="the same, tagged by a system; files are matched by name")
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="list the first N mistakes of each sort")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from epochal.bench.metrics.texts import ERROR_CLASSES, score_tags

    if arguments.errors < 0:
        raise EpochalError(f"--errors is {arguments.errors}; accepted: 0 or more")
    matched, unscored = _matched(Path(arguments.gold), Path(arguments.system))
    scores = score_tags([_annotated(gold) for gold, _ in matched], [_annotated(system) for _, system in matched])
    mistakes = [
        item
        for what in ERROR_CLASSES
        for item in [mistake for mistake in scores.mistakes if mistake.what == what][: arguments.errors]
    ]
    if arguments.json:
        record = scores.record() | {"unscored": unscored, "errors": [item.record() for item in mistakes]}
        print(json.dumps(record, ensure_ascii=False, indent=2))
        return 0
    print(f"{scores.documents} document{'' if scores.documents == 1 else 's'}")
    print(scores.table())
    if unscored:
        print(f"not scored, for want of gold: {_listed(unscored)}")
    for item in mistakes:
        print(item)
    return 0


def _matched(gold: Path, system: Path) -> tuple[list[tuple[Path, Path]], list[str]]:
    """Gold files with the system's, and the names of system files that have no gold."""
    for path in (gold, system):
        if not path.exists():
            raise EpochalError(f"{path} does not exist; accepted: a TimeML file or a folder of .tml files")
    if gold.is_dir() != system.is_dir():
        raise EpochalError(f"of {gold} and {system} one is a folder; accepted: two files or two folders")
    if not gold.is_dir():
        return [(gold, system)], []
    wanted = sorted(gold.glob("*.tml"))
    if not wanted:
        raise EpochalError(f"the folder {gold} has no .tml files")
    missing = [file.name for file in wanted if not (system / file.name).is_file()]
    if missing:
        raise EpochalError(f"{len(missing)} of {len(wanted)} files are missing in {system}: {_listed(missing)}")
    names = {file.name for file in wanted}
    return [(file, system / file.name) for file in wanted], sorted(
        file.name for file in system.glob("*.tml") if file.name not in names
    )


def _listed(names: list[str], most: int = 10) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _annotated(file: Path) -> AnnotatedText:
    from epochal.bench.metrics.texts import AnnotatedText
    from epochal.reading.timeml import read_timeml

    try:
        document = read_timeml(file.read_bytes())
    except OSError as error:
        raise EpochalError(f"cannot read {file}: {error.strerror}") from error
    except EpochalError as error:
        raise EpochalError(f"{file}: {error}") from error
    return AnnotatedText(file.name, document.text, document.gold)
