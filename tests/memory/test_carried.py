"""When-answers from replies, and times that belong to other words than those that are asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal.memory import Memory
from epochal.memory.carried import belongs_to_other_words, find_carried_times
from epochal.memory.turns import Turn
from epochal.times.span import Span

SAID = Span.parse("2023-06-12")


def make(*spoken: str) -> list[Turn]:
    """Turns of one session; each text begins with the name of its speaker."""
    parts = [line.split(": ", 1) for line in spoken]
    return [Turn(str(place), text, SAID, speaker=speaker) for place, (speaker, text) in enumerate(parts)]


@pytest.mark.parametrize(
    ("spoken", "times"),
    [
        (["Ana: I saw an owl.", "Ben: In daylight?", "Ana: Yes, last Friday!"], ["2023-06-09"]),
        (["Ana: I moved to Porto.", "Ben: Oh! Do you like it?", "Ana: It happened in May, suddenly."], ["2023-05"]),
        (["Ana: I sold the boat.", "Ben: When did you sell it?", "Ana: I did it a week ago."], ["2023-06-05"]),
        (["Ana: When did you sell the boat?", "Ben: Yesterday, to a neighbour."], ["2023-06-11"]),
        (["Ana: I sold the boat.", "Ben: Great news.", "Ana: What now?", "Ben: Last week I bought one."], []),
        (["Ana: I saw an owl.", "Ben: Where?", "Ana: In the park. Last week I saw a fox."], []),
        (["Ana: I saw an owl.", "Ben: I went sailing last Friday!"], []),
        (["Ana: I saw an owl.", "Ben: Nice. Shall we eat?", "Ben: It was late on Sunday."], []),
        (["Ana: Did you see the owl?", "Ben: My mother visited on Sunday."], []),
    ],
)
def test_a_reply_states_the_time_of_what_it_replies_to(spoken: list[str], times: list[str]) -> None:
    first, *following = make(*spoken)
    assert [one.span.edtf() for one in find_carried_times(first, following)] == times


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("I adopted a beagle! The shelter opened ten years ago.", True),
        ("I opened my cafe. The street was built in 1890.", True),
        ("I bought a canoe. I've been dreaming of one for two years.", True),
        ("We celebrated at home. The party was last Friday.", False),
        ("Last night was amazing! We celebrated her birthday.", False),
        ("I ran a marathon! It took place three days ago.", False),
        ("I quit my job. I told them on Friday.", False),
    ],
)
def test_a_sentence_with_a_subject_of_its_own_is_about_something_else(text: str, is_other: bool) -> None:
    (turn,) = make(f"Ana: {text}")
    assert belongs_to_other_words(text, turn.happenings[0]) == is_other


def test_recall_answers_with_the_time_of_a_reply(tmp_path: Path) -> None:
    talk = make(
        "Ana: Hey Ben! I finally took that glassblowing course.",
        "Ben: No way! When was it?",
        "Ana: Two Saturdays ago. My vase came out crooked.",
        "Ben: I just adopted a beagle. The shelter opened ten years ago.",
    )
    with Memory.open(tmp_path / "memory", encoder="static") as memory:
        memory.remember_many(
            {"id": turn.id, "text": turn.text, "speaker": turn.speaker, "at": "2023-06-12", "session": "1"}
            for turn in talk
        )
        course = memory.recall("When did Ana take the glassblowing course?", now="2023-07-01")
        beagle = memory.recall("When did Ben adopt a beagle?", now="2023-07-01")
    assert (course.times[0].span.edtf(), course.times[0].is_stated) == ("2023-06-03", True)
    assert (beagle.times[0].span.edtf(), beagle.times[0].is_stated) == ("2023-06-12", False)
