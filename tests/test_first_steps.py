"""A hundred and twenty calls that a newcomer types, each of which works or fails at once with a sentence.

They are what people are used to from LanceDB, sentence-transformers, pandas, Elasticsearch, LangChain and LlamaIndex.
"""

from __future__ import annotations

import asyncio
import csv
import datetime as dt
import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import epochal
from epochal import EpochalError
from epochal.times import FixedClock, Span

ROWS = [
    {"id": "a", "text": "The transfer fee was raised to 4 euros.", "published": "2019-03-01", "lang": "en", "n": 1},
    {"id": "b", "text": "The transfer fee is 12 euros.", "published": "2021-05-02", "lang": "en", "n": 2},
    {"id": "c", "text": "Die Gebühr beträgt 5 Euro.", "published": "2020-06-01", "lang": "de", "n": 3},
    {"id": "d", "text": "Caesar was killed in 44 BC.", "lang": "en", "author": {"name": "Cary"}},
]
TODAY = Span.parse("2022-02-01")


@pytest.fixture
def names(tmp_path: Path) -> Iterator[dict[str, Any]]:
    with epochal.open(tmp_path / "db", encoder=None, clock=FixedClock(TODAY)) as db:
        yield make_names(db, tmp_path)


def make_names(db: epochal.Index, tmp_path: Path) -> dict[str, Any]:
    """What the steps find around them: an index with four documents, and files to add."""
    with (tmp_path / "notes.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["ID", "Body", "Date"])
        writer.writeheader()
        writer.writerow({"ID": "x", "Body": "The museum opened.", "Date": "Sat, 05 Oct 2019 10:00:00 +0200"})
    (tmp_path / "rows.json").write_text(json.dumps([{"id": "j", "text": "Rain.", "date": "14.05.2024"}]))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "2020-03-04-visit.md").write_text("# A visit\n\nWe saw the harbour.\n")
    db.add(ROWS)
    return {
        "epochal": epochal,
        "db": db,
        "dt": dt,
        "np": np,
        "tmp": tmp_path,
        "Document": epochal.Document,
        "Span": Span,
        "asyncio": asyncio,
        "open_file": io.StringIO("ID,Body"),
        "json": json,
        "r": db.search("transfer fee"),
        "thing": SimpleNamespace(page_content="The bridge was closed.", metadata={"id": "lc", "date": "2018"}),
        "ids": lambda response: [hit.id for hit in response],
    }


WORKS = {
    # opening and filling
    "opens what it made": "len(epochal.open(tmp / 'db')) == 4",
    "adds dicts": "db.add([{'id': 'e', 'text': 'Rain.', 'published': '2001-02-03'}]) == 1 and len(db) == 5",
    "adds one dict": "db.add({'id': 'e', 'text': 'Rain.'}) == 1",
    "adds a document": "db.add(Document('e', 'Rain.')) == 1",
    "adds documents": "db.add([Document('e', 'Rain.'), Document('f', 'Sun.')]).added == 2",
    "adds a generator": "db.add({'id': str(n), 'text': f'Rain {n}.'} for n in range(3)).added == 3",
    "adds texts": "db.add(['The first text.', 'The second text.']).added == 2 and len(db) == 6",
    "adds a CSV file": "db.add(tmp / 'notes.csv').added == 1 and db['x'].published.edtf() == '2019-10-05T08:00:00Z'",
    "adds a path as text": "db.add(str(tmp / 'notes.csv')).added == 1",
    "adds a JSON array": "db.add(tmp / 'rows.json').added == 1 and db['j'].published == Span.parse('2024-05-14')",
    "adds a folder": "db.add(tmp / 'notes').added == 1",
    "adds several files": "db.add([tmp / 'notes.csv', tmp / 'rows.json']).added == 2",
    "adds documents of LangChain": "db.add([thing]).added == 1 and db['lc'].published == Span.year(2018)",
    "reports replaced": "db.add([{'id': 'a', 'text': 'New.'}]).replaced == 1",
    "reports unchanged": "db.add([{'id': 'e', 'text': 'A.'}]) and db.add([{'id': 'e', 'text': 'A.'}]).unchanged == 1",
    "reports undated": "db.add([{'id': 'e', 'text': 'Rain.', 'published': 'soonish'}]).undated == 1 and 'e' in db",
    "reports refused": "'no text' in db.add([{'id': 'e'}, {'id': 'f', 'text': 'Rain.'}]).problems[0]",
    "a report is one line": "'\\n' not in repr(db.add([{'id': 'e', 'text': 'A.'}])) and "
    "'added' in repr(db.add([{'id': 'f', 'text': 'B.'}]))",
    "maps fields": "db.add([{'key': 'e', 'Body': 'Rain.'}], fields={'id': 'key', 'text': 'Body'}).added == 1",
    # documents
    "takes a date as text": "Document('e', 'Rain.', published='1998-05-02').published == Span.parse('1998-05-02')",
    "takes a date": "Document('e', 'Rain.', published=dt.date(1998, 5, 2)).published == Span.parse('1998-05-02')",
    "takes a datetime": "Document('e', 'A.', published=dt.datetime(1998, 5, 2, 3)).published.first_year == 1998",
    "takes a year": "Document('e', 'Rain.', published=1998, valid='1998/1999').published == Span.year(1998)",
    "takes datetime64": "Document('e', 'A.', published=np.datetime64('1998-05')).published == Span.parse('1998-05')",
    "gets by id": "db['b'].text.endswith('12 euros.') and db.get('nobody') is None",
    "knows an id": "'b' in db and 'nobody' not in db",
    "iterates": "sorted(document.id for document in db) == ['a', 'b', 'c', 'd']",
    "counts": "len(db) == 4",
    "deletes one": "db.delete('a') == 1 and len(db) == 3",
    "deletes several": "db.delete(['a', 'b']) == 2",
    "adds metadata to documents": "db['a'].meta['lang'] == 'en'",
    "shows itself in one line": "'4 documents' in repr(db) and '\\n' not in repr(db)",
    # searching
    "has text": "r[0].text.startswith('The transfer fee')",
    "has a date": "r[0].date == db[r[0].id].published",
    "has a score": "r[0].score >= r[1].score",
    "slices": "ids(r[:2]) == ids(r)[:2]",
    "limits": "len(db.search('fee', k=1)) == 1",
    "reads last year": "db.search('transfer fee last year')[0].id == 'b'",
    "records now": "r.now == Span.parse('2022-02-01')",
    "takes now as text": "db.search('transfer fee last year', now='2020-02-01')[0].id == 'a'",
    "takes a year for during": "db.search('fee', during=2019)[0].id == 'a'",
    "takes a date for as_of": "'b' not in ids(db.search('fee', as_of=dt.date(2020, 1, 1)))",
    "takes a datetime for before": "'b' not in ids(db.search('fee', before=dt.datetime(2020, 1, 1), strict=True))",
    "filters by metadata": "ids(db.search('Gebühr', where={'lang': 'de'})) == ['c']",
    "filters by several values": "'c' not in ids(db.search('fee', where={'lang': ['en', 'fr']}))",
    "filters by a range": "ids(db.search('fee', where={'n': {'>=': 2, '<': 3}})) == ['b']",
    "filters by existence": "ids(db.search('Caesar', where={'author': {'exists': True}})) == ['d']",
    "filters by a nested field": "ids(db.search('Caesar', where={'author.name': 'Cary'})) == ['d']",
    "sorts": "ids(db.search('transfer fee', sort='newest'))[0] == 'b'",
    "pages": "ids(db.search('transfer fee', k=1, offset=1)) == ids(db.search('transfer fee', k=2))[1:]",
    "searches many": "[len(item) > 0 for item in db.search_many(['fee', 'Caesar'], k=2)] == [True, True]",
    "counts by field": "r.facets('lang')['en'] >= 2",
    "searches asynchronously": "asyncio.run(db.asearch('fee'))[0].id == db.search('fee')[0].id",
    "answers": "'12 euros' in str(db.answer('What is the transfer fee in 2021?'))",
    "adds one document of LangChain": "db.add(thing).added == 1 and 'lc' in db",
    "deletes with del": "[db.__delitem__('a'), 'a' not in db][1]",
    "deletes by a condition": "db.delete(where={'lang': 'en'}) == 3 and len(db) == 1",
    "quotes a value": "ids(db.search('Gebühr', where=\"lang = 'de'\")) == ['c']",
    "joins conditions by and": "ids(db.search('fee', where='lang=en and n>=2')) == ['b']",
    "keeps and within a value": "epochal.search.where.parse_where('title=War and Peace') == "
    "{'title': {'=': 'War and Peace'}}",
    "names a field that nobody has": "'during' in db.search('fee', where={'published': 2020}).applied[-1].sentence",
    "lists ids": "r.ids == ids(r)",
    "has a title and metadata": "r[0].title == '' and r[0].meta['lang'] == 'en'",
    "has a date in a span": "dt.date(2019, 3, 1) in Span.year(2019) and '2020' not in Span.year(2019)",
    "sorts hits by date": "[hit.id for hit in sorted(r, key=lambda hit: hit.date)][0] == 'a'",
    # what comes back
    "gives dicts": "r.to_dicts()[0]['id'] == r[0].id and json.dumps(r.to_dicts())",
    "gives a frame": "list(r.to_pandas()['id']) == ids(r)",
    "has the times of its text": "db.search('Caesar killed')[0].times[0].span.edtf() == '-0043'",
    "explains": "'fee' in r[0].explain() or 'words' in r[0].explain()",
    "is short": "len(repr(r)) < 200 and len(repr(r[0])) < 200 and '\\n' not in repr(r) + repr(r[0])",
    "draws for notebooks": "r._repr_html_().startswith('<') and Span.year(1998)._repr_html_().startswith('<')",
    "tags": "epochal.tag('raised last month', now='1998-06-05')[0].value == '1998-05'",
    "understands": "epochal.understand('fees in 2019').constraints[0].span == Span.year(2019)",
    "adds rows with NaN": "db.add([{'id': 'e', 'text': 'A.', 'n': np.nan, 'published': float('nan')}]).undated == 1",
    "adds a number for an id": "db.add([{'id': 7, 'text': 'A.'}]) == 1 and '7' in db",
    "adds a text without an id": "db.add({'text': 'A.'}) == 1",
    "adds nothing": "db.add([]) == 0",
    "deletes nobody": "db.delete('nobody') == 0",
    "deletes by ids": "db.delete(ids=['a']) == 1",
    "takes a mongo operator": "'c' not in ids(db.search('fee', where={'lang': {'$eq': 'en'}}))",
    "takes an operator of Elasticsearch": "'a' not in ids(db.search('fee', where={'n': {'gte': 2}}))",
    "takes a double equals sign": "ids(db.search('fee', where=\"lang == 'de'\")) == ['c']",
    "takes no condition": "len(db.search('fee', where={})) > 0",
    "has a document": "r[0].document.text == r[0].text",
    "cites": "db.answer('transfer fee').citations[0].id in 'abcd'",
    "answers in text": "'transfer fee' in db.answer('transfer fee').text",
    "tags nothing": "epochal.tag('') == []",
    "has a version": "epochal.__version__[0].isdigit()",
    "resolves": "epochal.resolve('12 Henry VIII')[0].span.first_year == 1520",
}

FAILS = {
    "a path for an index": ("epochal.Index(str(tmp / 'db'))", r"epochal\.open"),
    "an unreadable date": ("Document('e', 'Rain.', published='soonish')", "soonish"),
    "a wrong time": ("db.search('fee', during='soonish')", "during"),
    "an unknown option": ("db.search('fee', top_k=3)", "top_k"),
    "an unknown order": ("db.search('fee', sort='date')", "newest"),
    "an unknown operator": ("db.search('fee', where={'n': {'=>': 2}})", "'=>'"),
    "an unknown id": ("db['nobody']", "nobody"),
    "a number to add": ("db.add(42)", "42"),
    "a path that does not exist": ("db.add('no/such/file.csv')", "no/such/file.csv"),
    "an option of another store": ("db.search('fee', limit=2)", "k does that"),
    "a filter of another store": ("db.search('fee', filter={'lang': 'en'})", "where does that"),
    "an index in memory": ("epochal.open(':memory:')", "folder"),
    "several texts to tag": ("epochal.tag(['last month', 'today'])", "tag_batch"),
    "several questions": ("db.search(['fee', 'Caesar'])", "search_many"),
    "nothing to delete": ("db.delete()", "ids or where"),
    "a text alone": ("db.add('The fee is free.')", r"write \[...\] around it"),
    "an empty question": ("db.search('')", "question"),
    "a condition on nothing for delete": ("db.delete(where={})", "needs a condition"),
    "an empty folder name": ("epochal.open('')", "open takes a folder"),
    "no folder": ("epochal.open(None)", "open takes a folder"),
    "an address of another kind": ("epochal.open('s3://bucket/x')", "accepted"),
    "a span of texts": ("Span('2020', '2021')", "Span.parse"),
    "no text to resolve": ("epochal.resolve(None)", "one text"),
    "an open file": ("db.add(open_file)", "path of a file"),
    "bytes": ("db.add(b'Rain.')", "path of a file"),
    "an address to download": ("db.add('https://example.org/a.html')", "nothing is downloaded"),
    "a pattern of paths": ("db.add('*.csv')", "list of paths"),
    "pairs": ("db.add([('e', 'Rain.')])", "tuple"),
    "two times": ("db.search('fee', during=('2019', '2020'))", "during"),
    "a function for where": ("db.search('fee', where=lambda row: True)", "mapping"),
    "a month that there is not": ("db.search('fee', during='2019-13')", "2019-13"),
    "no hits": ("db.search('fee', k=0)", "from 1 to"),
    "a place for an id": ("db[0]", "must be a text"),
    "an unknown encoder": ("epochal.open(tmp / 'new', encoder='nonesuch')", "nonesuch"),
}


@pytest.mark.parametrize("step", WORKS)
def test_works(step: str, names: dict[str, Any]) -> None:
    if "to_pandas" in WORKS[step]:
        pytest.importorskip("pandas")
    assert eval(WORKS[step], names), WORKS[step]


@pytest.mark.parametrize("step", FAILS)
def test_fails_at_once_with_a_sentence(step: str, names: dict[str, Any]) -> None:
    code, said = FAILS[step]
    with pytest.raises((EpochalError, KeyError), match=said) as error:
        eval(code, names)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("owner", "name", "hint"),
    [
        ("db", "upsert", "add replaces"),
        ("db", "similarity_search", "search"),
        ("db", "count_rows", "len"),
        ("db", "as_retriever", "Retriever"),
        ("db", "add_documents", r"index\.add"),
        ("db", "create_table", "one collection"),
        ("db", "delete_documents", r"index\.delete"),
        ("db", "as_query_engine", r"index\.answer"),
        ("r", "to_df", "to_pandas"),
        ("r", "limit", "k="),
        ("hit", "page_content", r"hit\.text"),
        ("hit", "metadata", r"hit\.meta"),
        ("hit", "published", r"hit\.date"),
        ("epochal", "connect", r"epochal\.open"),
    ],
)
def test_names_of_other_libraries_are_explained(owner: str, name: str, hint: str, names: dict[str, Any]) -> None:
    with pytest.raises(AttributeError, match=hint):
        getattr({**names, "hit": names["r"][0]}[owner], name)


def test_hits_and_responses_are_no_dicts(names: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"hit\.id"):
        names["r"][0]["id"]
    with pytest.raises(TypeError, match="to_dicts"):
        names["r"]["hits"]


def test_there_are_enough_of_them() -> None:
    assert len(WORKS) + len(FAILS) >= 120
