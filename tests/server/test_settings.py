"""Settings that cannot be kept to are refused before anything is opened."""

from __future__ import annotations

import pytest

from epochal.errors import EpochalError
from epochal.server.settings import Settings


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"port": 70_000}, "port must be from 1 to 65535"),
        ({"port": -1}, "port"),
        ({"workers": 0}, "workers must be from 1 to 64"),
        ({"searches": 0}, "searches"),
        ({"seconds": 0}, "seconds must be a number above 0"),
        ({"stop_seconds": float("nan")}, "stop_seconds"),
        ({"writable": True}, "but none was given"),
        ({"writable": True, "token": "short"}, "but one of 5 was given"),
        ({"token": "a token with spaces in it"}, "visible ASCII"),
        ({"token": "é" * 20}, "visible ASCII"),
        ({"cors": ("*",)}, "is none; accepted: such as https://news.example:8443"),
        ({"cors": ("https://news.example/",)}, "is none"),
        ({"cors": ("news.example",)}, "is none"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(EpochalError, match=words):
        Settings("news", **given)


def test_the_queue_is_four_times_as_long():
    assert Settings("news", searches=3).queue == 48


def test_settings_are_values():
    assert Settings("news") == Settings("news")
    with pytest.raises(AttributeError):
        Settings("news").port = 1
