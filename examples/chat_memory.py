"""A chat that remembers: each line is answered with what was said before, also in earlier runs.

Run it with a folder, `python examples/chat_memory.py my-memory`, and type. Give `answer` a language model to get
replies in its own words; without one the chat shows what it recalls.
"""

import sys
import uuid

from epochal import Memory


def answer(message: str, evidence: str) -> str:
    """The reply to a message; replace this by a call of your model, with the evidence in its prompt."""
    return f"From earlier:\n{evidence}" if evidence else "I know nothing of that yet."


def chat(memory: Memory, lines: list[str] | None = None) -> None:
    """Recall before each answer, and remember both messages after it."""
    session = uuid.uuid4().hex
    for line in lines or sys.stdin:
        message = line.strip()
        if not message:
            continue
        recalled = memory.recall(message, k=3, budget=300)
        reply = answer(message, str(recalled) if recalled.outcome == "recorded" else "")
        print(reply, flush=True)
        memory.remember(message, speaker="user", session=session)
        memory.remember(reply, speaker="assistant", session=session, source="chat")


if __name__ == "__main__":
    with Memory.open(sys.argv[1], encoder="static") as opened:
        chat(opened)
