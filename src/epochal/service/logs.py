"""Logs: one line of JSON an event. What people ask is not written down unless the service was told to."""

from __future__ import annotations

import datetime as dt
import json
import logging
from typing import Any, Final

__all__ = ["LOGGER", "JsonLines", "log_event", "logging_settings"]

#: The name of the logger of the service.
LOGGER: Final = "epochal.service"
_FIELDS: Final = "fields"


class JsonLines(logging.Formatter):
    """Records as lines of JSON: `at`, `level`, `event`, and the fields of the event.

    >>> record = logging.LogRecord("uvicorn.error", logging.INFO, "", 0, "Started %s", ("it",), None)
    >>> list(json.loads(JsonLines().format(record)).items())[1:]
    [('level', 'info'), ('event', 'server'), ('message', 'Started it')]
    """

    def format(self, record: logging.LogRecord) -> str:
        """One line.

        >>> record = logging.LogRecord(LOGGER, logging.INFO, "", 0, "request", (), None)
        >>> json.loads(JsonLines().format(record))["event"]
        'request'
        """
        at = dt.datetime.fromtimestamp(record.created, dt.timezone.utc).isoformat(timespec="milliseconds")
        told: dict[str, Any] = {"at": at, "level": record.levelname.lower()}
        if record.name == LOGGER:
            told |= {"event": record.getMessage(), **getattr(record, _FIELDS, {})}
        else:
            told |= {"event": "server", "message": record.getMessage()}
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=True, default=str)


def log_event(event: str, *, level: int = logging.INFO, trace: bool = False, **fields: Any) -> None:
    """Write an event; with `trace`, the error that is being handled, whose text never goes to whoever asked.

    >>> log_event("started", folder="news")
    """
    logging.getLogger(LOGGER).log(level, event, exc_info=trace, extra={_FIELDS: fields})


def logging_settings() -> dict[str, Any]:
    """What `logging.config.dictConfig` is told: everything to stderr as lines of JSON.

    >>> logging_settings()["handlers"]["lines"]["stream"]
    'ext://sys.stderr'
    """
    handlers = {"handlers": ["lines"], "level": "INFO", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": f"{__name__}.{JsonLines.__name__}"}},
        "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
        "loggers": {LOGGER: handlers, "uvicorn": handlers, "uvicorn.error": handlers},
    }
