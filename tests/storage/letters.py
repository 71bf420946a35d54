"""An encoder for tests that need no meaning."""

from __future__ import annotations

from epochal.encoders.base import unit_rows


class Letters:
    """Counts letters; before it does, it calls `before` with the texts."""

    name, dim = "letters-1", 26

    def __init__(self, before=None):
        self.before = before
        self.encoded = 0

    def encode_documents(self, texts):
        self.encoded += len(texts)
        if self.before is not None:
            self.before(texts)
        return self.encode_queries(texts)

    def encode_queries(self, texts):
        return unit_rows([[text.lower().count(chr(97 + at)) for at in range(26)] for text in texts])
