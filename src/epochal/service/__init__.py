"""The HTTP service: an index behind a JSON API, and the timeline page that uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.service.app import create_app as create_app
    from epochal.service.app import serve as serve
    from epochal.service.settings import Settings as Settings

_HOMES = {
    "Settings": "epochal.service.settings",
    "create_app": "epochal.service.app",
    "serve": "epochal.service.app",
}
__all__ = ["Settings", "create_app", "serve"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
