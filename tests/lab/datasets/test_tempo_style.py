"""Sets in the manner of TEMPO: passages of pages, hard negatives of other times, plans and annotations."""

import ast
import json

import pytest

from epochal.errors import EpochalError, InputError
from epochal.llm.chat import LlmError
from epochal.storage.importers.html_pages import html_text
from epochal.storage.importers.pages import read_pages
from epochal.storage.records import Document
from epochal.times import Span
from epochal_lab.datasets.folder import read_folder, write_folder
from epochal_lab.datasets.tempo_style import GUIDANCE, RuleAnnotator, build

PAGES = {
    "fees-2017.md": "---\ndate: 2018-01-10\ntitle: Fees\n---\nIn 2017 bitcoin transaction fees rose to 20 dollars.",
    "fees-2021.md": "---\ndate: 2021-12-01\n---\n# Later fees\nBitcoin transaction fees fell to 2 dollars in 2021.",
    "fees-2013.txt": "In 2013 bitcoin transaction fees were a few cents.",
    "old/fees-2012.html": "<html><head><title>Early fees</title><meta name='date' content='2012-05-01'></head>"
    "<body><nav>Menu</nav><p>Bitcoin transaction fees in 2012 were voluntary.</p><script>x()</script></body></html>",
    "cats.md": "Cats sleep for most of the day.",
}
QUESTION = {
    "id": "7",
    "question": "How did bitcoin transaction fees change between 2017 and 2021?",
    "gold": ["fees-2017", "fees-2021.md"],
    "date": "2022-01-01",
    "answer": "They fell.",
}
PASSAGE_KEYS = {
    "doc_id",
    "passage_temporal_signals",
    "passage_temporal_events",
    "time_mentions",
    "time_scope_guess",
    "tense_guess",
    "confidence",
}


@pytest.fixture
def source(tmp_path):
    for name, text in PAGES.items():
        path = tmp_path / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(json.dumps(QUESTION) + "\n")
    return tmp_path


def named(result):
    return {item.id: item.meta["page"] for item in result.documents}


def test_gold_mentions_the_asked_times_and_hard_negatives_of_others(source):
    result, manifest = build(source)
    pages = named(result)
    judged = {pages[one]: score for one, score in result.qrels["7"].items()}
    assert judged == {"fees-2017": 1, "fees-2021": 1, "fees-2013": 0, "old/fees-2012": 0}
    (query,) = result.queries
    assert query.periods == (Span.year(2017), Span.year(2021))
    assert [{pages[one] for one in covered} for covered in result.period_qrels["7"]] == [{"fees-2017"}, {"fees-2021"}]
    assert [pages[one] for one in query.annotations["negative_ids"]].count("cats") == 0
    assert query.excluded == ()
    assert manifest.parameters["annotated_by"] == "rules"
    assert manifest.facts["passages_without_any_date"] == 1


def test_annotations_have_the_keys_of_tempo(source):
    result, _ = build(source)
    message = result.queries[0].annotations
    assert tuple(message["query_guidance"]) == GUIDANCE
    assert message["gold_answers"] == ["They fell."]
    assert [set(note) for note in message["gold_passage_annotations"]] == [PASSAGE_KEYS, PASSAGE_KEYS]
    assert {note["doc_id"] for note in message["negative_passage_annotations"]} == set(message["negative_ids"])
    pages = named(result)
    plan = message["query_guidance"]["retrieval_plan"]
    assert [[pages[one] for one in ast.literal_eval(step["gold_ids"])] for step in plan[:2]] == [
        ["fees-2017"],
        ["fees-2021"],
    ]
    assert result.queries[0].kind == "trends_changes_and_cross_period"


def test_the_number_of_hard_negatives_is_bounded(source):
    result, manifest = build(source, negatives=1)
    assert len(result.queries[0].annotations["negative_ids"]) == 1
    assert manifest.facts["hard_negatives_a_question"] == 1.0
    none, _ = build(source, negatives=0)
    assert set(none.qrels["7"].values()) == {1}


def test_long_pages_are_cut_and_only_passages_of_the_asked_time_are_gold(source):
    text = "\n\n".join(
        f"In {year} bitcoin transaction fees stood at {year % 50} dollars." for year in range(2010, 2023)
    )
    (source / "pages" / "fees-2017.md").write_text(text)
    result, _ = build(source, size=70)
    gold = [item.text for item in result.documents if result.qrels["7"].get(item.id) == 1 and "stood" in item.text]
    assert len(gold) == 2
    assert all("2017" in text or "2021" in text for text in gold)


def test_a_page_that_states_no_asked_time_gives_its_best_passage(source):
    row = {"id": "8", "question": "How long do cats sleep?", "gold": ["cats.md"]}
    (source / "questions.jsonl").write_text(json.dumps(row))
    result, _ = build(source)
    assert [named(result)[one] for one, score in result.qrels["8"].items() if score] == ["cats"]
    assert result.period_qrels == {}


def test_the_folder_reads_back(source, tmp_path):
    result, manifest = build(source)
    write_folder(tmp_path / "set", result, manifest)
    back = read_folder(tmp_path / "set")
    assert back.queries == result.queries
    assert back.period_qrels == result.period_qrels


class Scripted:
    """Says what a test tells it to, by the keys that it is asked for."""

    name = "scripted"

    def __init__(self, **replies):
        self._replies = replies

    def complete(self, messages, *, json=False):
        assert json
        task = messages[0].content
        key = "passage" if "passage_temporal" in task else "guidance" if "retrieval_plan" in task else "searches"
        if key not in self._replies:
            raise LlmError("no reply")
        return self._replies[key]


GIVEN = {
    **RuleAnnotator().guidance(QUESTION["question"], None),
    "query_summary": "Fees then and later.",
    "retrieval_plan": [{"step": 1, "action": "Find the fees of 2021."}],
}
NOTE = RuleAnnotator().passage("", Document("a", "Fees rose in 2017."))


def test_a_language_model_annotates_and_says_what_to_search_for(source):
    searches = {"llm_summary": "how long animals sleep", "entities_events": ["cats"]}
    chat = Scripted(guidance=json.dumps(GIVEN), passage=json.dumps(NOTE), searches=json.dumps(searches))
    result, manifest = build(source, chat)
    message = result.queries[0].annotations
    assert message["query_guidance"]["query_summary"] == "Fees then and later."
    (step,) = message["query_guidance"]["retrieval_plan"]
    assert [named(result)[one] for one in ast.literal_eval(step["gold_ids"])] == ["fees-2021"]
    assert "cats" in [named(result)[one] for one in message["negative_ids"]]
    assert manifest.parameters["annotated_by"] == "scripted"
    assert manifest.facts["annotations_missing"] == 0


def test_replies_that_cannot_be_used_are_counted_and_not_replaced(source):
    searches = json.dumps({"llm_summary": "bitcoin fees", "entities_events": []})
    result, manifest = build(source, Scripted(guidance='{"temporal_intent": "soon"}', searches=searches))
    message = result.queries[0].annotations
    assert "query_guidance" not in message
    assert message["gold_passage_annotations"] == []
    assert result.queries[0].kind == ""
    # The question's guidance, and each of its two relevant passages and its hard negatives.
    assert manifest.facts["annotations_missing"] == 3 + len(message["negative_ids"])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("nothing", "line 1: the line is no question"),
        ('{"id": 1, "gold": []}', "line 1: the line is no question"),
        ('{"id": 1, "question": "Who?", "gold": ["dogs"]}', "no page is called 'dogs'"),
        ('{"id": 1, "question": "Who?", "gold": []}', "the question has no page"),
        ('{"id": 1, "question": "Who?", "gold": ["cats"]}\n' * 2, "line 2: the id '1' is there twice"),
        ("", "has no question"),
    ],
)
def test_rows_that_are_no_questions_are_refused(source, line, problem):
    (source / "questions.jsonl").write_text(line)
    with pytest.raises(EpochalError, match=problem):
        build(source)


def test_pages_of_one_name_or_none_are_refused(source, tmp_path):
    (source / "pages" / "cats.txt").write_text("Cats.")
    with pytest.raises(InputError, match="a page called 'cats' is there with another ending too"):
        build(source)
    with pytest.raises(EpochalError, match="with the pages is not there"):
        read_pages(tmp_path / "nowhere")


def test_html_gives_its_text_title_and_date(source):
    (page,) = [page for page in read_pages(source / "pages") if page.id == "old/fees-2012"]
    assert (page.title, page.text) == ("Early fees", "Bitcoin transaction fees in 2012 were voluntary.")
    assert page.published == Span.day(2012, 5, 1)
    assert html_text("a<br>b &amp; c<style>p{}</style>") == "a\n\nb & c"
    (source / "pages" / "bad.html").write_text("<meta name=date content='not long ago'><p>Text.</p>")
    with pytest.raises(InputError, match=r"bad\.html"):
        read_pages(source / "pages")
