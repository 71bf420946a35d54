"""Is a question for when answered with the time that a text states, and is a plain folder dated by its own text?

Reads timeqa, situatedqa, chunqiu and changelogs from the data folder (EPOCHAL_DATA). No vectors are used, and no
present is given but for facts.

Pages. Sentences of 8 to 30 words with exactly one date with a year, of 70 pages of TimeQA's training set, are turned
into "When did this happen: {title}, {the sentence without its date}?". Right is a first time of the answer that is
stated in a text and equals the date or lies within it.

Facts as of a date. Questions of SituatedQA that begin with "when" and have times for answers, over one text for each of
their answers: the words of the question as a statement, with the answer behind it, published then. Asked as of the
date of the row. Right is a first time that equals the answer of the row or lies within it.

Annals. Entries of the Spring and Autumn Annals (the classic alone) with a month of their own and words that no other
entry has, read in sequence: "{event}是什麼時候？". Right is a first time within the month of the table, or one of at
most two months around it.

Release notes. The dated entries of the projects that state the date in nine of ten texts, as a folder of Markdown files
without front matter, against the same texts with their dates given. Files that state a date are those that have the
given one among the times of their first 1,000 characters. For months with and without a release of a project, "What
changed in {project} in {month}?" is a false none where there is one and the outcome is not "recorded", and a false
recorded where there is none. Both indexes hold the same titles and texts. Months without a release are those in which
no entry was published and that no entry has among those times: some state two dates of release and were given one.

Rows called "even" were looked at while rules were written; "odd" were only scored. The halves are those of pages, of
entries and of release notes.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import annals_retrieval as annals
from _data import find_data
from _material import read_rows
from _record import Row, save

import epochal
from epochal import Document, Index, Span, resolve, tag
from epochal.answers.answer import Answer
from epochal.errors import EpochalError
from epochal.ingest import SequenceReader
from epochal.storage.importers import read
from epochal.storage.text import units
from epochal.times import CalendarDate, Grain

SEED = 5
PAGES = 70
QUESTIONS = 150
ANNALS = 150
MONTHS = 15
#: The share of a project's entries that must state their date.
STATING = 0.9
HALVES = ("even", "odd")
_PREPOSITION = re.compile(r"\s*\b(?:in|on|during|since|from|by|until|of)\s*$")
#: "When did", "when was the last time that".
_ASKING = re.compile(
    r"^when\s+(?:(?:was|is|were|will be)\s+the\s+(?:last|first|next|most recent)\s+time\s*(?:that\s+)?|\w+\s+)"
    r"|\blast\s+"
)
Asked = tuple[str, Span]


# ---------------------------------------------------------------- questions for when


def read_pages() -> tuple[list[Document], tuple[list[Asked], list[Asked]]]:
    """The paragraphs of sampled pages, and the questions of each half of them."""
    rng = random.Random(SEED)
    pages = rng.sample(json.loads(find_data("timeqa/human_annotated_train.json").read_text("utf-8")), PAGES)
    documents: dict[str, Document] = {}
    asked: tuple[list[Asked], list[Asked]] = ([], [])
    for place, page in enumerate({page["link"]: page for page in pages}.values()):
        title = page["link"].split("/")[-1].replace("_", " ")
        for number, text in enumerate(page["paras"]):
            if text.strip():
                documents[f"{title}/{number}"] = Document(f"{title}/{number}", text, title)
                asked[place % 2].extend(make_when_questions(title, text))
    for group in asked:
        rng.shuffle(group)
    return list(documents.values()), (asked[0][:QUESTIONS], asked[1][:QUESTIONS])


def make_when_questions(title: str, text: str) -> list[Asked]:
    """The sentences of a text with exactly one date as questions for it."""
    questions = []
    for start, end in units(text):
        sentence = text[start:end].strip()
        dates = [item for item in tag(sentence) if item.kind == "DATE" and item.span is not None]
        if len(dates) != 1 or not re.search(r"\d{4}", dates[0].text) or not 8 <= len(sentence.split()) <= 30:
            continue
        before = _PREPOSITION.sub("", sentence[: dates[0].start_char])
        rest = f"{before} {sentence[dates[0].end_char :]}".strip(" .,")
        if dates[0].span is not None:
            questions.append((f"When did this happen: {title}, {rest}?", dates[0].span))
    return questions


def is_right(answer: Answer, gold: Span) -> bool:
    first = answer.times[0] if answer.times else None
    return first is not None and first.is_stated and (first.span == gold or first.span in gold)


def is_right_month(answer: Answer, gold: Span) -> bool:
    first = answer.times[0].span if answer.times else None
    return first is not None and (first in gold or (gold in first and first.days <= 62))


def measure_pages() -> list[Row]:
    documents, asked = read_pages()
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        index.add(documents)
        return [
            describe("TimeQA pages", half, [is_right(index.answer(text, now=None), gold) for text, gold in group])
            for half, group in zip(HALVES, asked, strict=True)
        ]


def measure_facts() -> list[Row]:
    rows: tuple[list[tuple[str, str, Span]], list[tuple[str, str, Span]]] = ([], [])
    documents: dict[str, Document] = {}
    by_question: dict[str, list[Row]] = defaultdict(list)
    for line in find_data("situatedqa/temp.train.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["question"].startswith("when "):
            by_question[row["question"]].append(row)
    rng = random.Random(SEED)
    for place, (question, group) in enumerate(sorted(by_question.items())):
        times = {text: read_time(text) for row in group for text in (*row["answer"], *row["any_answer"])}
        if not all(times.values()):
            continue
        for text, span in times.items():
            id = f"{place}/{text}"
            documents[id] = Document(id, f"{make_statement(question)}: {text}.", published=span)
        row = rng.choice(group)
        gold = times[row["answer"][0]]
        if gold is not None:
            rows[place % 2].append((question, row["date"], gold))
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        index.add(documents.values())
        return [
            describe("SituatedQA facts as of a date", half, [is_right_fact(index, *item) for item in group[:QUESTIONS]])
            for half, group in zip(HALVES, rows, strict=True)
        ]


def is_right_fact(index: Index, question: str, date: str, gold: Span) -> bool:
    answer = index.answer(f"{question}?", now=date, as_of=date)
    first = answer.times[0].span if answer.times else None
    return first is not None and (first == gold or first in gold)


def read_time(text: str) -> Span | None:
    """The one time that an answer of the set is; None for others."""
    try:
        readings = resolve(text)
    except EpochalError:
        return None
    return readings[0].span if len(readings) == 1 else None


def make_statement(question: str) -> str:
    """A question for when without the words that ask."""
    return _ASKING.sub("", question).strip()


def measure_annals() -> list[Row]:
    entries = [row for row in annals.read_lines("entries.jsonl") if annals.get_work(row) == "左傳 經"]
    counts = Counter(get_event(row) for row in entries)
    clear = [
        row
        for row in entries
        if row["month"] is not None
        and row.get("month_basis") == "month"
        and counts[get_event(row)] == 1
        and len(get_event(row)) >= 6
    ]
    reader = SequenceReader("lu", CalendarDate("lu", 1, era="魯隱公"), by="work")
    rng = random.Random(SEED)
    rows = []
    with tempfile.TemporaryDirectory() as folder, Index.create(folder, encoder=None) as index:
        index.add(annals.build_documents(entries), read=reader)
        for place, half in enumerate(HALVES):
            sample = rng.sample(clear[place::2], min(ANNALS, len(clear[place::2])))
            right = [
                is_right_month(
                    index.answer(f"{get_event(row)}是什麼時候？", now=None), resolve(annals.get_month(row))[0].span
                )
                for row in sample
            ]
            rows.append(describe("annals in sequence", half, right))
    return rows


def get_event(row: Row) -> str:
    """An entry without the date that it begins with."""
    text = str(row["text"]).rstrip("。")
    date, comma, event = text.partition("，")
    return event if comma and len(date) <= 8 else text


def describe(what: str, half: str, right: Sequence[bool]) -> Row:
    return {"part": "when", "what": what, "half": half, "questions": len(right), "right": sum(right) / len(right)}


# ---------------------------------------------------------------- release notes as a plain folder


def measure_release_notes() -> list[Row]:
    projects: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows("changelogs/pypi.jsonl.gz"):
        if is_day(row):
            projects[row["package"]].append(row)
    chosen = [
        row for rows in projects.values() if sum(map(states_date, rows)) >= STATING * len(rows) > 0 for row in rows
    ]
    return [row for place, half in enumerate(HALVES) for row in measure_half(half, chosen[place::2])]


def states_date(row: Row) -> bool:
    """Whether the text of an entry has its date among the times of its beginning."""
    return Span.parse(row["published"]) in list_stated(row)


def list_stated(row: Row) -> list[Span]:
    """The times that the beginning of an entry states."""
    return [item.span for item in tag(make_note(row)[:1_000]) if item.span is not None]


def make_note(row: Row) -> str:
    return f"# {row['title']}\n\n{row['text']}"


def is_day(row: Row) -> bool:
    try:
        return Span.parse(row.get("published") or "").grain == Grain.DAY
    except EpochalError:
        return False


def measure_half(half: str, rows: Sequence[Row]) -> list[Row]:
    measured = []
    questions = make_month_questions(rows)
    with (
        tempfile.TemporaryDirectory() as notes,
        tempfile.TemporaryDirectory() as given,
        tempfile.TemporaryDirectory() as plain,
    ):
        dates: dict[str, Span] = {}
        stating: list[str] = []
        for row in rows:
            id = f"{row['package']}/{str(row['version']).replace('/', '_')}.md"
            dates[id] = Span.parse(row["published"])
            if states_date(row):
                stating.append(id)
            file = Path(notes) / id
            file.parent.mkdir(exist_ok=True)
            file.write_text(make_note(row), encoding="utf-8")
        documents = list(read(notes))
        found = {document.id: document.published for document in documents}
        with epochal.open(given, encoder=None) as index:
            index.add(replace(document, published=dates[document.id]) for document in documents)
            measured.append(score_outcomes("given dates", half, index, questions))
        with epochal.open(plain, encoder=None) as index:
            index.add(notes)
            measured.append(score_outcomes("dated by text", half, index, questions))
    measured[-1]["files"] = len(dates)
    measured[-1]["stating a date"] = len(stating)
    measured[-1]["dated so"] = sum(found.get(id) == dates[id] for id in stating) / max(len(stating), 1)
    return measured


def make_month_questions(rows: Sequence[Row]) -> list[tuple[str, bool]]:
    """Questions for months with a release of a project and for months without, as many of each."""
    rng = random.Random(SEED)
    months: dict[str, set[str]] = defaultdict(set)
    stated: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        months[row["package"]].add(row["published"][:7])
        stated[row["package"]].update(span.edtf()[:7] for span in list_stated(row) if span.grain == Grain.DAY)
    questions = []
    for project, present in sorted(months.items()):
        first, last = Span.parse(min(present)), Span.parse(max(present))
        every = []
        while first.start <= last.start:
            every.append(first.edtf())
            first = first.shift(1)
        absent = [month for month in every if month not in present | stated[project]]
        for month in rng.sample(sorted(present), min(MONTHS, len(present))):
            questions.append((f"What changed in {project} in {Span.parse(month).describe()}?", True))
        for month in rng.sample(absent, min(MONTHS, len(absent))):
            questions.append((f"What changed in {project} in {Span.parse(month).describe()}?", False))
    return questions


def score_outcomes(what: str, half: str, index: Index, questions: Sequence[tuple[str, bool]]) -> Row:
    outcomes = [(index.search(text, now=None).outcome == "recorded", is_there) for text, is_there in questions]
    return {
        "part": "release notes",
        "what": what,
        "half": half,
        "questions": len(questions),
        "false none": sum(is_there and not is_recorded for is_recorded, is_there in outcomes),
        "false recorded": sum(is_recorded and not is_there for is_recorded, is_there in outcomes),
    }


def main() -> None:
    rows = [*measure_pages(), *measure_facts(), *measure_annals(), *measure_release_notes()]
    for row in rows:
        print(row)
    save(
        "when_and_dates",
        "Is a question for when answered with the time that a text states, and a folder dated by its own text?",
        "timeqa/human_annotated_train.json, situatedqa/temp.train.jsonl, chunqiu/entries.jsonl, "
        "changelogs/pypi.jsonl.gz",
        SEED,
        rows,
    )


if __name__ == "__main__":
    main()
