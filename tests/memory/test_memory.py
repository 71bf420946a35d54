"""Remember, recall, correct, forget: what a memory promises."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from epochal import Span
from epochal.errors import EpochalError
from epochal.memory import Memory

NOW = "2023-08-01"
TURNS: list[dict[str, Any]] = [
    {"id": "a1", "speaker": "Ana", "session": "s1", "at": "2023-05-08", "text": "Hey Ben! Good to see you."},
    {"id": "a2", "speaker": "Ben", "session": "s1", "at": "2023-05-08", "text": "Hi Ana! Did your sister visit you?"},
    {"id": "a3", "speaker": "Ana", "session": "s1", "at": "2023-05-08", "text": "Yes, last Friday! It was lovely."},
    {"id": "a4", "speaker": "Ben", "session": "s1", "at": "2023-05-08", "text": "I bought a red bicycle yesterday."},
    {"id": "b1", "speaker": "Ana", "session": "s2", "at": "2023-06-09", "text": "We go camping next month."},
    {"id": "b2", "speaker": "Ben", "session": "s2", "at": "2023-06-09", "text": "I didn't run the race last week."},
    {"id": "b3", "speaker": "Ana", "session": "s2", "at": "2023-06-09", "text": "I adopted a kitten called Olive."},
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory", encoder="static") as memory:
        memory.remember_many(TURNS)
        yield memory


def recall(memory: Memory, question: str, **options: Any) -> Any:
    return memory.recall(question, now=NOW, **options)


def test_a_reply_is_found_by_the_question_before_it(memory: Memory) -> None:
    recalled = recall(memory, "When did Ana's sister visit?")
    assert recalled[0].id == "a3"
    assert recalled[0].before is not None
    assert recalled[0].before.id == "a2"
    assert recalled.times[0].span == Span.parse("2023-05-05")
    assert recalled.times[0].is_stated


def test_who_said_it_counts(memory: Memory) -> None:
    right, wrong = recall(memory, "What did Ben buy?"), recall(memory, "What did Ana buy?")
    assert right[0].id == "a4"
    assert right.probability > wrong.probability
    assert right.outcome == "recorded"


def test_what_is_asked_of_a_speaker_is_not_against_that_speaker(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m", encoder=None) as memory:
        memory.remember("Did you keep the grand piano?", at="2023-05-08", speaker="Ana", session="s1")
        memory.remember("No, we sold it to a school.", at="2023-05-08", speaker="Ben", session="s1")
        memory.remember("My harpsichord is for sale.", at="2023-05-08", speaker="Ana", session="s1")
        asked, wrong = recall(memory, "What did Ben do with the piano?"), recall(memory, "Did Ben sell a harpsichord?")
        assert asked.probability > wrong.probability + 0.1
        assert wrong.outcome == "none_recorded"


def test_a_topic_that_nobody_mentioned_is_unknown(memory: Memory) -> None:
    assert recall(memory, "Which telescope does the observatory use?").outcome == "topic_unknown"


def test_a_question_that_names_nobody_is_rated_by_words_and_meaning(memory: Memory) -> None:
    known, unknown = recall(memory, "Who bought a red bicycle?"), recall(memory, "Who repaired the broken dishwasher?")
    assert (known.outcome, unknown.outcome) == ("recorded", "topic_unknown")
    assert known.probability > 0.8 > 0.3 > unknown.probability


def test_plans_and_negations_are_marked(memory: Memory) -> None:
    statuses = {turn.id: [(item.span.edtf(), item.status) for item in turn.happenings] for turn in memory}
    assert statuses["b1"] == [("2023-07", "planned")]
    assert statuses["b2"] == [("2023-W22", "negated")]
    assert statuses["a4"] == [("2023-05-07", "happened")]
    assert "planned" in str(recall(memory, "When does Ana go camping?"))


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("I went there yesterday, but I didn't like it.", "happened"),
        ("I never went there last year.", "negated"),
        ("This week I will paint the fence.", "planned"),
        ("I can't wait to tell you: I won yesterday.", "happened"),
        ("Not only did I run yesterday.", "happened"),
    ],
)
def test_the_clause_of_a_time_says_whether_it_happened(memory: Memory, text: str, status: str) -> None:
    id = memory.remember(text, at="2023-06-07")
    assert [item.status for item in memory[id].happenings] == [status]


def test_a_part_of_a_day_dates_nothing_unless_its_day_is_named(memory: Memory) -> None:
    said = {"at": "2023-06-07", "speaker": "Ben"}
    plain = memory.remember("Good morning! Look at my photo of a sunset, taken at 5 pm.", **said)
    dated = memory.remember("Last night we saw a comet.", **said)
    assert memory[plain].happenings == ()
    assert [item.span for item in memory[dated].happenings] == [Span.parse("2023-06-06")]


def test_what_was_said_later_is_not_believed_earlier(memory: Memory) -> None:
    assert "b3" in recall(memory, "What pet does Ana have?").ids
    assert "b3" not in recall(memory, "What pet does Ana have?", believed_at="2023-05-31").ids


def test_a_question_may_say_when_something_was_believed(memory: Memory) -> None:
    memory.remember("My kitten is called Basil now.", at="2023-07-01", speaker="Ana", corrects="b3", id="c1")
    for question in (
        "What did we believe in June Ana's kitten is called?",
        "In June, what did we know of Ana's kitten?",
        "What had we thought in June Ana's kitten is called?",
        "What did we expect in June Ana's kitten is called?",
    ):
        recalled = recall(memory, question)
        assert (recalled[0].id, recalled.believed_at) == ("b3", Span.parse("2023-06")), question
    assert recall(memory, "What did Ben think of the kitten in June?").believed_at is None


def test_a_time_belongs_to_the_words_of_its_clause(memory: Memory) -> None:
    memory.remember("I had a quiet weekend after we went sailing two weeks ago.", at="2023-07-17", speaker="Ben")
    memory.remember("I close the shop over Christmas and fly to Lisbon on 22 December.", at="2023-07-18", speaker="Ana")
    assert recall(memory, "When did Ben go sailing?").times[0].span == Span.parse("2023-07-03")
    assert recall(memory, "When does Ana fly to Lisbon?").times[0].span == Span.parse("2023-12-22")


def test_a_program_may_end_without_closing_its_memory(tmp_path: Path) -> None:
    program = (
        "import sys; from epochal.memory import Memory; memory = Memory.open(sys.argv[1], encoder=None); "
        "memory.remember('I bought a boat.', at='2023-05-08', id='a')"
    )
    done = subprocess.run([sys.executable, "-c", program, os.fspath(tmp_path / "m")], capture_output=True, check=True)
    assert done.stderr == b""


def test_what_had_not_happened_is_not_so_then(memory: Memory) -> None:
    assert "b1" in recall(memory, "Where does Ana go camping?", as_of="2023-07-15").ids
    assert "b1" not in recall(memory, "Where does Ana go camping?", as_of="2023-06-20").ids


def test_a_correction_supersedes_and_does_not_erase(memory: Memory) -> None:
    memory.remember("My kitten is called Basil now.", at="2023-07-01", speaker="Ana", corrects="b3", id="c1")
    recalled = recall(memory, "What is Ana's kitten called?")
    assert recalled.ids[:2] == ("c1", "b3")
    assert recalled[1].superseded_by == "c1"
    assert "corrected later by c1" in str(recalled)
    # By what was known in June, and by what was so in June, it was still Olive.
    for option in ({"believed_at": "2023-06-30"}, {"as_of": "2023-06-30"}):
        earlier = recall(memory, "What is Ana's kitten called?", **option)
        assert (earlier[0].id, earlier[0].superseded_by) == ("b3", ""), option


def test_a_chain_of_corrections_ends_in_the_last(memory: Memory) -> None:
    memory.remember("The kitten is called Basil.", at="2023-07-01", corrects="b3", id="c1", about="kitten")
    memory.remember("The kitten is called Clove.", at="2023-07-02", corrects="c1", id="c2", about="kitten")
    history = memory.history("kitten")
    assert [(item.id, item.superseded_by) for item in history] == [("c1", "c2"), ("c2", "")]
    assert recall(memory, "What is Ana's kitten called?")[0].id == "c2"


def test_about_keeps_the_turns_under_a_name(memory: Memory) -> None:
    memory.remember("Olive sleeps all day.", at="2023-07-01", speaker="Ana", about="kitten", id="c1")
    assert recall(memory, "What does Olive do?", about="kitten").ids == ("c1",)
    assert recall(memory, "What does Olive do?", about="dog").outcome == "topic_unknown"


def test_a_correction_of_nothing_is_refused(memory: Memory) -> None:
    with pytest.raises(EpochalError, match="no such turn"):
        memory.remember("It is not so.", corrects="zzz")


def test_a_timeline_is_in_the_order_of_what_happened(memory: Memory) -> None:
    memory.remember("I was born in 1990.", at="2023-07-01", speaker="Ana", id="c1")
    timeline = memory.timeline("Ana")
    assert [turn.id for _, turn in timeline] == ["c1", "a3", "a1", "b3", "b1"]
    during = memory.timeline(during="2023-05")
    assert {turn.id for _, turn in during} == {"a1", "a2", "a3", "a4", "b2"}  # the week of b2 begins in May


def test_given_times_come_before_read_ones(memory: Memory) -> None:
    id = memory.remember("I moved to Porto.", at="2023-07-01", speaker="Ana", happened="2022-03")
    assert [item.span for item in memory[id].happenings] == [Span.parse("2022-03")]
    assert recall(memory, "When did Ana move to Porto?").times[0].span == Span.parse("2022-03")


def test_a_pack_fits_its_budget_and_keeps_the_best(memory: Memory) -> None:
    whole = recall(memory, "When did Ana's sister visit?")
    small = recall(memory, "When did Ana's sister visit?", budget=60)
    assert len(str(small)) / 4 <= 60 < len(str(whole)) / 4
    assert "Yes, last Friday!" in str(small)
    assert whole.pack(60) == str(small)
    lines = str(whole).splitlines()
    said = [line.split("2023-", 1)[1][:5] for line in lines if "2023-" in line and not line.startswith("When")]
    assert said == sorted(said)


def test_which_month_is_answered_by_a_month(memory: Memory) -> None:
    assert recall(memory, "Which month did Ben buy a bicycle?").times[0].span == Span.parse("2023-05")


def test_the_user_who_asks_is_called_i(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m", encoder=None) as memory:
        memory.remember("My car is in the blue garage.", at="2024-01-01", speaker="user")
        memory.remember("The car should be in the garage when it snows.", at="2024-01-01", speaker="assistant")
        assert memory.recall("Where is my car?", now="2024-01-02")[0].turn.speaker == "user"


def test_users_do_not_see_each_other(memory: Memory) -> None:
    other = memory.for_user("other")
    other.remember("The secret word is xylophone.", at="2023-07-01", id="o1")
    assert len(other) == 1
    assert len(memory) == len(TURNS)
    assert "o1" not in memory
    assert "a1" not in other
    assert "o1" not in recall(memory, "What is the secret word?").ids
    other.remember("Another turn with an id of yours.", at="2023-07-01", id="a1")
    assert memory["a1"].text == TURNS[0]["text"]
    assert other.forget(everything=True) == 2
    assert len(memory) == len(TURNS)
    assert set(memory.users()) >= {"default"}


def test_users_who_write_in_turns_see_their_own(memory: Memory) -> None:
    other = memory.for_user("other")
    other.remember("My parrot is called Echo.", at="2023-07-01", id="o1")
    memory.remember("My parrot is called Kiwi.", at="2023-07-01", id="m1")
    assert recall(memory, "What is the parrot called?")[0].id == "m1"
    assert recall(other, "What is the parrot called?")[0].id == "o1"


def test_threads_share_a_memory(memory: Memory) -> None:
    def work(number: int) -> int:
        memory.remember(f"Thread {number} saw a heron.", at="2023-07-01", id=f"h{number}", corrects="a1")
        return len(recall(memory, "Who saw a heron?", k=50))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(12)))
    assert len(memory) == len(TURNS) + 12
    assert len(recall(memory, "Who saw a heron?", k=50)) == len(TURNS) + 12


def test_forgotten_words_are_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    with Memory.open(folder, encoder="static") as memory:
        memory.remember_many(TURNS)
        memory.remember("The password is Quetzalcoatl.", at="2023-07-01", session="private", about="password")
        recall(memory, "What is the password?")
        assert _find_files(folder, "quetzalcoatl")
        assert memory.forget(session="private") == 1
        assert not _find_files(folder, "quetzalcoatl")
        assert "Quetzalcoatl" not in str(recall(memory, "What is the password?"))
        memory.index.backup(tmp_path / "backup")
        assert len(memory) == len(TURNS)
        assert recall(memory, "What did Ben buy?")[0].id == "a4"
    assert not _find_files(tmp_path, "quetzalcoatl")


def _find_files(folder: Path, word: str) -> list[Path]:
    """The files that have a word, in any letters, or the stem by which it is indexed."""
    names = [word[:10].encode(), word.encode("utf-16-le")]
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and any(name in path.read_bytes().lower() for name in names)
    ]


def test_forget_takes_conditions_and_refuses_none(memory: Memory) -> None:
    with pytest.raises(EpochalError, match="forget needs"):
        memory.forget()
    assert memory.forget(speaker="Ben", before="2023-06-01") == 2
    assert memory.forget("a1") == 1
    assert memory.forget("a1") == 0
    assert {turn.id for turn in memory} == {"a3", "b1", "b2", "b3"}


def test_a_reader_follows_what_another_forgets(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m", encoder=None) as writer:
        writer.remember_many(TURNS)
        writer.flush()
        with Memory.open(tmp_path / "m") as reader:
            assert recall(reader, "Does Ben have a bicycle?")[0].id == "a4"
            writer.forget("a1")
            writer.remember("I sold the red bicycle.", at="2023-07-01", speaker="Ben", session="s3", id="c1")
            writer.flush()
            assert set(recall(reader, "Does Ben have a bicycle?").ids[:2]) == {"a4", "c1"}
            assert recall(reader, "Was the bicycle sold?")[0].id == "c1"


def test_export_and_import_keep_everything(memory: Memory, tmp_path: Path) -> None:
    memory.remember("It was Basil.", at=Span.parse("2023-07-01"), corrects="b3", about="kitten", source="mail", id="c1")
    memory.remember("I moved.", happened="2022~", at="2023-07-02T10:30:00", id="c2")
    assert memory.export(tmp_path / "turns.jsonl") == len(TURNS) + 2
    with Memory.open(tmp_path / "copy", encoder="static") as copy:
        assert copy.import_from(tmp_path / "turns.jsonl") == len(TURNS) + 2
        assert list(copy) == list(memory)
    (tmp_path / "bad.jsonl").write_text('{"text": "x", "when": 3}\n')
    with pytest.raises(EpochalError, match="line 1"):
        memory.import_from(tmp_path / "bad.jsonl")


def test_turn_by_turn_is_the_same_as_all_at_once(memory: Memory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "slow", encoder="static") as slow:
        for turn in TURNS:
            slow.remember(**turn)
            slow.recall("What did Ben buy?", now=NOW)
        for question in ("What did Ben buy?", "When did Ana's sister visit?", "What pet does Ana have?"):
            assert recall(slow, question).to_dict() == recall(memory, question).to_dict()


def test_what_was_remembered_survives_a_crash(tmp_path: Path) -> None:
    program = (
        "import os, sys; from epochal.memory import Memory; memory = Memory.open(sys.argv[1], encoder='static'); "
        "memory.remember('I bought a boat.', at='2023-05-08', id='a'); "
        "memory.remember('I sold it.', at='2023-05-09', id='b'); os._exit(9)"
    )
    folder = tmp_path / "m"
    done = subprocess.run([sys.executable, "-c", program, os.fspath(folder)], check=False)
    assert done.returncode == 9
    with Memory.open(folder) as memory:
        assert [turn.id for turn in memory] == ["a", "b"]
        assert recall(memory, "What was bought?")[0].id == "a"


def test_long_turns_of_several_passages_are_one_piece_of_evidence(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m", encoder="static") as memory:
        filler = "The weather was fine and we walked along the river. " * 60
        memory.remember(f"{filler} Then we found a golden watch.", at="2023-05-08", id="long")
        memory.remember("A short one about the river.", at="2023-05-08", id="short")
        assert sorted(memory.recall("Who found a golden watch?", now=NOW).ids) == ["long", "short"]
        assert memory.recall("Who found a golden watch?", now=NOW)[0].id == "long"


def test_mistakes_are_named(memory: Memory) -> None:
    for call, words in (
        (lambda: memory.remember("  "), "must not be empty"),
        (lambda: memory.remember("x", speaker=3), "speaker must be a text"),  # type: ignore[arg-type]
        (lambda: memory.recall(""), "question must be a text"),
        (lambda: memory.recall("What?", k=0), "k must be"),
        (lambda: memory.history(""), "history needs about"),
        (lambda: memory.remember_many([{"text": "x", "when": 1}]), "no 'when'"),
    ):
        with pytest.raises(EpochalError, match=words):
            call()
    with pytest.raises(KeyError):
        memory["zzz"]


def test_an_empty_memory_knows_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m", encoder="static") as memory:
        recalled = memory.recall("When did Ana move?", now=NOW)
        assert (len(recalled), recalled.outcome, recalled.times) == (0, "topic_unknown", ())
        assert memory.timeline() == []
        assert len(memory) == 0
        assert memory.forget(everything=True) == 0


@pytest.mark.parametrize("question", ["flood", "?", "the", "flood in 1850", "When was the flood?"])
def test_a_question_that_no_turn_has_a_word_of(tmp_path: Path, question: str) -> None:
    """Without an encoder no turn is a candidate; that was an exception."""
    with Memory.open(tmp_path / "memory", encoder=None) as memory:
        memory.remember("I moved to Porto yesterday.", at="2023-06-09")
        recalled = recall(memory, question)
        assert (recalled.outcome, recalled.probability, list(recalled.evidence)) == ("topic_unknown", 0.0, [])
        assert str(recalled)


def test_a_question_beyond_measure_is_refused(memory: Memory) -> None:
    with pytest.raises(EpochalError, match="up to 20,000 characters, but has 60,000"):
        recall(memory, "flood " * 10_000)
