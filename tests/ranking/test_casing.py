"""Names in questions without capitals: they are read as the documents write them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import epochal
from epochal.api import Index
from epochal.ranking.casing import restore_capitals
from epochal.ranking.pool import Pool, Scored
from epochal.storage.records import Document

NOW = "2026-11-18"
#: Each act with its sections and the years from which its versions are valid.
ACTS = {
    "Clean Air Act": ((101, 102, 103), (1999, 2010)),
    "Clean Water Act": ((101, 102, 103, 104), (1992, 1999, 2010)),
    "Fair Housing Act": ((101, 102, 103), (1992, 1999, 2010)),
    "Open Meetings Act": ((101, 102, 104), (2010,)),
}


def make_acts() -> Iterator[Document]:
    for name, (sections, years) in ACTS.items():
        for section in sections:
            for year, end in zip(years, (*years[1:], ".."), strict=True):
                yield Document(
                    f"{name} {section} {year}",
                    f"Section {section}. The department shall adopt rules for permits and hearings.",
                    title=f"An act to enact the {name} of the state — Section {section}",
                    valid=f"{year}/{end}",
                    series=f"{name} {section}",
                )


@pytest.fixture(scope="module")
def acts(tmp_path_factory: pytest.TempPathFactory) -> Index:
    index = epochal.open(tmp_path_factory.mktemp("acts"), encoder=None)
    index.add(list(make_acts()))
    return index


class Recorder:
    """A scorer that keeps the last pool that it was given."""

    name = "recorder"

    def __init__(self) -> None:
        self.pools: list[Pool] = []

    def score(self, pool: Pool) -> Scored:
        self.pools.append(pool)
        return Scored(pool.lexical)


def restore(folder: Path, texts: list[str], question: str) -> str:
    """The question with the capitals that are restored over an index of texts."""
    index = epochal.open(folder, encoder=None)
    index.add([Document(str(number), text) for number, text in enumerate(texts)])
    recorder = Recorder()
    index.search(question, now=NOW, scorer=recorder)
    return restore_capitals(recorder.pools[-1]).question


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("what did section 102 of the clean air act say on 5 may 1995?", None),
        ("section 101 of the open meetings act as of 2001", None),
        ("section 104 of the fair housing act in 2005", None),
        ("section 103 of the clean water act as of 2001", "Clean Water Act 103 1999"),
        ("what did section 102 of the fair housing act say in march 1993", "Fair Housing Act 102 1992"),
        ("which version of section 101 of the clean air act was in force on 1 july 2004?", "Clean Air Act 101 1999"),
    ],
)
def test_another_act_is_no_record_of_the_one_that_is_named(acts: Index, question: str, found: str | None) -> None:
    result = acts.search(question, now=NOW)
    if found is None:
        assert result.outcome != "recorded"
    else:
        assert (result.outcome, result[0].id) == ("recorded", found)


@pytest.mark.parametrize(
    ("texts", "question", "restored"),
    [
        (
            ["El texto refundido del Estatuto de los Trabajadores rige desde 2015."],
            "artículo 14 del estatuto de los trabajadores en 2016",
            "artículo 14 del Estatuto de los Trabajadores en 2016",
        ),
        (
            ["Le maire de Lyon a parlé.", "La ville de Lyon vote."],
            "élections à lyon en 2014",
            "élections à Lyon en 2014",
        ),
        (["She joined the Green Party in 1998."], "green party leaders in 1998", "Green Party leaders in 1998"),
        # Short forms, as the documents write them, or where they write them out.
        (["Ministers of NATO met in Oslo."], "nato ministers in 1998", "NATO ministers in 1998"),
        (
            ["La Ley del Impuesto sobre el Valor Añadido rige desde 1993."],
            "artículo 7 de la ley del iva en 1995",
            "artículo 7 de la ley del IVA en 1995",
        ),
    ],
)
def test_names_get_the_capitals_of_the_documents(
    tmp_path: Path, texts: list[str], question: str, restored: str
) -> None:
    assert restore(tmp_path / "index", texts, question) == restored


@pytest.mark.parametrize(
    ("texts", "question"),
    [
        # One that has capitals is taken as it is.
        (["She joined the Green Party in 1998."], "green party leaders of Leeds in 1998"),
        # Inside of the name of something else, a word of the dictionary is no name.
        (["Reports on BBC News and Sky News differ.", "She reads Sky News."], "latest news of 2011"),
        # A heading in capitals says nothing, nor does the beginning of a sentence.
        (["CLEAN AIR ACT\n\nOf the clean air act of 1990."], "clean air act of 1990"),
        (["Water rises. Water falls. Water is high."], "water in leeds in 1998"),
        # Mostly in small letters.
        (["a green party", "the green party", "The Green Party", "one green party"], "green party in 1998"),
        # Every noun has a capital in German.
        (["Die Stadt hat das Hohe Haus gebaut.", "Im Hohen Haus ist die Stadt."], "was hat die stadt 1998 gebaut"),
        (["2015年发布新的《数据安全法》。"], "数据安全法 2015年"),
    ],
)
def test_other_words_stay_as_they_are(tmp_path: Path, texts: list[str], question: str) -> None:
    assert restore(tmp_path / "index", texts, question) == question


def test_the_name_of_something_unknown_is_missed_beside_a_kind_of_text(tmp_path: Path) -> None:
    """ "Privacy policy" is a name of documents, and "zorbly" may be one, too."""
    index = epochal.open(tmp_path / "index", encoder=None)
    index.add(
        [
            Document(f"{name} {year}", "This Privacy Policy says what we collect.", title=f"{name}: Privacy Policy")
            for name in ("Airbnb", "Yahoo", "Zillow")
            for year in (2014, 2016)
        ]
    )
    result = index.search("latest zorbly privacy policy", now=NOW)
    assert (result.outcome, result.unknown_words) == ("topic_unknown", ("zorbly",))
