"""Do plans and annotations made by rules agree with TEMPO's files, item by item?

    python studies/tempo_annotations.py               tempo_sample of EPOCHAL_DATA
    python studies/tempo_annotations.py --from DIR    another folder with files of the same names; prints the result

Makes the table of annotations in docs/results/judges.md. Where rows of steps.jsonl have `query_guidance` and
`gold_passage_annotations`, the rules are compared with them key by key. The published sample has neither: its rows name
the passages that answer each question, and the answer. So the rules are compared with those:

    period    each period that the rules require, and how many gold passages mention it
    step      each step of the rule-made plan, searched by words among all passages: which of its first hits are gold.
              The question itself is searched the same way, for comparison
    passage   the years that a regular expression finds in each gold passage, and those of them that the rules mention
    answer    the times of the gold answer, and those of them that lie in a required period
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from pathlib import Path

from _data import find_data
from _record import Row, save, skip

from epochal.api import Index
from epochal.errors import EpochalError
from epochal.reading.questions.understand import understand
from epochal.reading.tagger import tag
from epochal.storage.records import Document
from epochal_lab.tempo.annotate import (
    annotate_passage_by_rules,
    annotate_query_by_rules,
    compare_passages,
    compare_queries,
)
from epochal_lab.tempo.records import PassageNote, QueryNote, check_covered, clean_question, get_mentioned_times

_YEAR = re.compile(r"(?<![\w.,$€£#-])(?:1[0-9]{3}|20[0-9]{2})(?![\w%]|[.,]\d)")
#: How many hits of a search are looked at.
_HITS = 5


def read_lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def compare_question(question: Row, pages: dict[str, Document], index: Index) -> list[Row]:
    """The annotation of a question by rules, beside its gold passages and its answer."""
    text = clean_question(question["query"])
    note, understanding = annotate_query_by_rules(question["query"]), understand(text)
    gold = [pages[id] for id in question["gold_ids"]]
    mentioned = [check_covered(understanding.periods, get_mentioned_times(page)) for page in gold]
    head: Row = {
        "part": "question",
        "id": question["id"],
        "intent": note.temporal_intent,
        "class": note.temporal_reasoning_class_primary,
        "anchors": list(note.key_time_anchors),
        "gold": len(gold),
        "gold that state a time": sum(bool(get_mentioned_times(page)) for page in gold),
        "gold of a required period": sum(any(flags) for flags in mentioned),
    }
    rows = [head]
    for position, period in enumerate(understanding.periods):
        count = sum(flags[position] for flags in mentioned)
        rows.append({"part": "period", "id": question["id"], "period": period.describe(), "gold passages": count})
    gold_ids = set(question["gold_ids"])
    searches = [("question", text), *((f"step {step.step}", step.action) for step in note.retrieval_plan)]
    for name, query in searches:
        hits = [hit.id for hit in index.search(query, k=_HITS, time=False, collapse_versions=False)]
        rows.append(
            {
                "part": "step" if name != "question" else "search",
                "id": question["id"],
                "what": name,
                "first hit is gold": bool(hits) and hits[0] in gold_ids,
                f"gold among {_HITS}": [hit for hit in hits if hit in gold_ids],
            }
        )
    answer = " ".join(clean_question(item) for item in question["gold_answers"][:1])
    times = [item for item in tag(answer) if item.span is not None and not item.span.is_open]
    inside = [
        item.text for item in times if any(check_covered(understanding.periods, [item.span] if item.span else []))
    ]
    outside = [item.text for item in times if item.text not in inside]
    rows.append({"part": "answer", "id": question["id"], "in a required period": inside, "elsewhere": outside})
    return rows


def compare_passage(page: Document) -> Row:
    note = annotate_passage_by_rules(page)
    years = list(dict.fromkeys(_YEAR.findall(page.text)))
    mentioned = " ".join((*note.time_mentions, *note.passage_temporal_events))
    return {
        "part": "passage",
        "id": page.id,
        "years in the text": len(years),
        "of them mentioned": sum(year in mentioned for year in years),
        "not mentioned": [year for year in years if year not in mentioned],
        "scope": [note.time_scope_guess.start_iso, note.time_scope_guess.end_iso],
        "tense": note.tense_guess,
        "events": list(note.passage_temporal_events),
    }


def compare_annotations(steps: list[Row], pages: dict[str, Document]) -> list[Row]:
    """The agreement with annotations, where rows have any, key by key; an unreadable one is reported."""
    rows: list[Row] = []
    for row in steps:
        if isinstance(row.get("query_guidance"), dict):
            rows.append({"part": "annotated question", "id": row["id"], **_compare_guidance(row)})
        for note in row.get("gold_passage_annotations") or ():
            page = pages.get(str(note.get("doc_id", "")))
            if page is not None:
                rows.append({"part": "annotated passage", "id": page.id, **_compare_note(note, page)})
    return rows


def _compare_guidance(row: Row) -> Row:
    try:
        agreement = compare_queries(annotate_query_by_rules(row["query"]), QueryNote.from_dict(row["query_guidance"]))
    except EpochalError as error:
        return {"unreadable": str(error)}
    return {key: round(value, 3) for key, value in agreement.items()}


def _compare_note(note: Row, page: Document) -> Row:
    try:
        agreement = compare_passages(annotate_passage_by_rules(page), PassageNote.from_dict(note))
    except EpochalError as error:
        return {"unreadable": str(error)}
    return {key: round(value, 3) for key, value in agreement.items()}


def summarise(rows: list[Row]) -> Row:
    """The sums over all rows; those of a question are also put into its row."""
    part = {name: [row for row in rows if row["part"] == name] for name in ("question", "period", "step", "search")}
    for row in part["question"]:
        own = {name: [item for item in part[name] if item["id"] == row["id"]] for name in ("period", "step", "search")}
        row["periods"] = len(own["period"])
        row["periods with gold"] = sum(item["gold passages"] > 0 for item in own["period"])
        row["steps"] = len(own["step"])
        row["steps whose first hit is gold"] = sum(item["first hit is gold"] for item in own["step"])
        row["gold by steps"] = _count_gold(own["step"])
        row["gold by the question"] = _count_gold(own["search"])
    passages = [row for row in rows if row["part"] == "passage"]
    answers = [row for row in rows if row["part"] == "answer"]
    return {
        "questions": len(part["question"]),
        "questions with annotations": sum(row["part"] == "annotated question" for row in rows),
        "passages with annotations": sum(row["part"] == "annotated passage" for row in rows),
        "periods": len(part["period"]),
        "periods with a gold passage": sum(row["gold passages"] > 0 for row in part["period"]),
        "gold passages": sum(row["gold"] for row in part["question"]),
        "gold passages that state a time": sum(row["gold that state a time"] for row in part["question"]),
        "gold passages of a required period": sum(row["gold of a required period"] for row in part["question"]),
        "steps": len(part["step"]),
        "steps whose first hit is gold": sum(row["first hit is gold"] for row in part["step"]),
        "gold found by steps": sum(row["gold by steps"] for row in part["question"]),
        "gold found by questions": sum(row["gold by the question"] for row in part["question"]),
        "years in passages": sum(row["years in the text"] for row in passages),
        "years mentioned by the rules": sum(row["of them mentioned"] for row in passages),
        "times of answers": sum(len(row["in a required period"]) + len(row["elsewhere"]) for row in answers),
        "times of answers in a required period": sum(len(row["in a required period"]) for row in answers),
    }


def _count_gold(searches: list[Row]) -> int:
    """How many different gold passages some searches find."""
    return len({id for row in searches for id in row[f"gold among {_HITS}"]})


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", metavar="DIR", help="another folder; nothing is written")
    arguments = parser.parse_args(words)
    folder = Path(arguments.folder) if arguments.folder else find_data("tempo_sample")
    names = ("examples.jsonl", "steps.jsonl", "documents.jsonl")
    if not all((folder / name).is_file() for name in names):
        skip(f"{folder} lacks one of {', '.join(names)}")
    examples, steps, documents = (read_lines(folder / name) for name in names)
    pages = {row["id"]: Document(row["id"], row["content"]) for row in documents}
    with tempfile.TemporaryDirectory() as place, Index.create(place, encoder=None) as index:
        index.add(pages.values())
        rows = [row for question in examples for row in compare_question(question, pages, index)]
    rows += [compare_passage(page) for page in pages.values()]
    rows += compare_annotations(steps, pages)
    counts = summarise(rows)
    if arguments.folder:
        print(json.dumps({**counts, "rows": rows}, indent=2, ensure_ascii=False))
        return
    save(
        "tempo_annotations",
        "Do plans and annotations made by rules agree with the sample of TEMPO, item by item?",
        "tempo_sample: 5 questions of 5 domains, 26 gold passages, no annotation of questions, plans or passages",
        0,
        rows,
        **counts,
    )


if __name__ == "__main__":
    main()
