"""Re2Bench-Rec: the newest wording of a clause among its older ones, from versions of terms and from HoH's layout."""

import gzip
import json

import pytest

from epochal.errors import EpochalError, InputError
from epochal.times import Span
from epochal_lab.datasets.re2bench.rec import build, clauses, find_reworded_clauses

REFUNDS = (
    "Refund requests for annual subscription plans are answered by our billing department within {} days, provided "
    "that the customer has {} and that the receipt of the purchase is enclosed with the letter."
)
COOKIES = (
    "Our analytics partners place browser cookies on your device for {}, and the browser settings let every visitor "
    "{} whenever the consent banner of the home page is shown to somebody."
)
PARTS = (
    ("ten", "written a letter to us"),
    ("twenty", "called the hotline on a weekday before noon"),
    ("thirty", "filled in a form on the page of the shop and signed it"),
)


def versions(service, texts, type="Terms of Service"):
    return [
        {
            "doc": f"{service}/{type}.md",
            "service": service,
            "type": type,
            "date": f"20{20 + n}-03-01T10:00:00Z",
            "text": t,
        }
        for n, t in enumerate(texts)
    ]


def written(folder, rows):
    with gzip.open(folder / "versions.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


@pytest.fixture
def terms(tmp_path):
    rows = []
    for service in ("Acme", "Globex", "Initech", "Umbrella"):
        rows += versions(service, [f"# Terms\n\n{REFUNDS.format(*part)}\n\n{COOKIES.format(*part)}" for part in PARTS])
    repeating = [REFUNDS.format(*PARTS[0]), REFUNDS.format(*PARTS[1]), REFUNDS.format(*PARTS[0])]
    return written(tmp_path, [*rows, *versions("Hooli", repeating)])


def test_the_answer_is_the_newest_wording_and_the_confusers_are_older(terms):
    result, manifest = build(terms)
    documents = {item.id: item for item in result.documents}
    assert len(result.queries) == 8
    for query in result.queries:
        judged = result.qrels[query.id]
        (gold,) = [one for one, score in judged.items() if score]
        assert "thirty" in documents[gold].text
        assert documents[gold].published == Span.day(2022, 3, 1)
        assert sorted(documents[one].published.edtf() for one in judged) == ["2020-03-01", "2021-03-01", "2022-03-01"]
        assert not query.periods
        assert query.kind == "latest"
    assert manifest.facts["documents_left_out_that_repeat_an_older_text"] == 1
    assert manifest.facts["audit"]["answer_newest_of_its_case"] == 1.0


def test_the_words_of_a_question_are_in_all_wordings(terms):
    result, manifest = build(terms)
    documents = {item.id: item for item in result.documents}
    for query in result.queries:
        for phrase in query.annotations["phrases"]:
            assert phrase in query.text
            assert all(phrase in documents[one].text.lower() for one in result.qrels[query.id])
    assert manifest.facts["audit"]["words_shared_with_the_question"]["answer_alone_shares_most"] == 0.0


def test_questions_are_asked_a_month_after_the_newest_document_or_when_reported(terms):
    result, manifest = build(terms)
    assert {query.now for query in result.queries} == {Span.day(2022, 4, 1)}
    assert manifest.facts["t_ref"] == "2022-04-01"
    later, _ = build(terms, today="2030-01-01")
    assert {query.now for query in later.queries} == {Span.day(2030, 1, 1)}


def test_documents_name_their_chain_only_when_asked_to(terms):
    plain, _ = build(terms)
    assert {item.series for item in plain.documents} == {None}
    named, _ = build(terms, series=True)
    chains = {item.id: item.series for item in named.documents}
    for judged in named.qrels.values():
        assert len({chains[one] for one in judged}) == 1
    assert len(set(chains.values())) == len(named.queries)


def test_a_service_is_in_one_split(terms):
    result, manifest = build(terms)
    assert manifest.facts["audit"]["groups_in_two_splits"] == 0
    assert {query.split for query in result.queries} <= {"train", "dev", "test"}


def test_a_clause_that_comes_back_to_old_words_or_hardly_changed_is_no_chain():
    one, two, three = (REFUNDS.format(*part) for part in PARTS)
    assert [chain.texts for chain in find_reworded_clauses([("2020", one), ("2021", two), ("2022", three)])] == [
        (one, two, three)
    ]
    assert find_reworded_clauses([("2020", one), ("2021", two), ("2022", one)]) == []
    assert find_reworded_clauses([("2020", one), ("2021", two), ("2022", two.replace("twenty", "thirty"))]) == []
    assert find_reworded_clauses([]) == []


def test_other_spaces_and_masked_addresses_are_no_new_wording():
    one, two, three = (REFUNDS.format(*part) for part in PARTS)
    respaced = two.replace("billing department", "billingdepartment").replace("receipt of", "rece ipt of")
    assert find_reworded_clauses([("2020", one), ("2021", two), ("2022", respaced)]) == []
    masked = [two.replace("letter.", f"letter to {name}.") for name in ("help@acme.com", "[ [email protected ]](")]
    assert find_reworded_clauses([("2020", one), ("2021", masked[0]), ("2022", masked[1])]) == []
    assert len(find_reworded_clauses([("2020", one), ("2021", two), ("2022", three)])) == 1


def test_a_wording_counts_from_the_version_that_brought_it():
    one, two, three = (REFUNDS.format(*part) for part in PARTS)
    (chain,) = find_reworded_clauses([("2020", one), ("2021", two), ("2022", two), ("2023", three), ("2024", three)])
    assert chain.dates == ("2020", "2021", "2023")


def test_dated_clauses_are_left_out():
    assert clauses(REFUNDS.format("ten", "written to us since 2019")) == []


def hoh(question, now, *older, page="7"):
    return {
        "question": question,
        "answer": now[1],
        "last_modified_time": now[0],
        "evidence": f"The seat is held by {now[1]}.",
        "outdated_infos": [
            {"answer": name, "evidence": f"The seat is held by {name}.", "last_modified_time": date}
            for date, name in older
        ],
        "document": {"id": page, "title": "Seat"},
    }


def test_rows_in_the_layout_of_hoh(tmp_path):
    months = [(f"2024-{month:02}-01", f"holder {month}") for month in range(6, 12)]
    rows = [
        hoh("Who holds the seat?", ("2024-12-01", "Eve"), *months),
        hoh("Who holds the chair?", ("2024-12-01", "Eve"), months[0], page="8"),
        hoh("Who holds the bench?", ("2024-09-01", "Eve"), *months[2:5], ("2024-07-01", "Eve"), page="9"),
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result, manifest = build(tmp_path)
    documents = {item.id: item for item in result.documents}
    (query,) = result.queries
    assert query.text == "Who holds the seat?"
    assert query.now == Span.day(2025, 1, 1)
    judged = result.qrels[query.id]
    assert sorted(documents[one].published.edtf()[:7] for one, score in judged.items() if not score) == [
        "2024-08",
        "2024-09",
        "2024-10",
        "2024-11",
    ]
    assert [documents[one].text for one, score in judged.items() if score] == ["The seat is held by Eve."]
    assert manifest.facts["rows_with_too_few_older_versions"] == 2
    assert manifest.parameters["layout"] == "hoh"


def test_what_is_wrong_with_the_files_is_reported_in_a_sentence(tmp_path):
    with pytest.raises(EpochalError, match=r"has no versions.jsonl\[.gz\]"):
        build(tmp_path, layout="terms")
    (tmp_path / "rows.jsonl").write_text('{"question": "Who?"}\n')
    with pytest.raises(InputError, match=r"rows\.jsonl, line 1: the row has no 'answer'"):
        build(tmp_path)
    (tmp_path / "rows.jsonl").write_text("nothing\n")
    with pytest.raises(InputError, match=r"rows\.jsonl, line 1: the line is no JSON"):
        build(tmp_path)


def test_too_few_versions_make_no_set(tmp_path):
    with pytest.raises(EpochalError, match="give no clause"):
        build(written(tmp_path, versions("Acme", [REFUNDS.format(*PARTS[0])])))
