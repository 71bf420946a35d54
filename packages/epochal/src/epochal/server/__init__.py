"""The HTTP service: an index behind a JSON API, and the timeline page that uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.server.app import create_app as create_app
    from epochal.server.app import serve as serve
    from epochal.server.settings import Settings as Settings

__all__ = ["Settings", "create_app", "serve"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.server.app": "create_app serve",
        "epochal.server.settings": "Settings",
    },
)
