"""The table of all operations, in the order in which the description lists them."""

from __future__ import annotations

from typing import Final

from epochal.service.operations import Operation
from epochal.service.routes.answer import OPERATIONS as ANSWERS
from epochal.service.routes.bench import OPERATIONS as BENCH
from epochal.service.routes.coverage import OPERATIONS as COVERAGE
from epochal.service.routes.documents import OPERATIONS as DOCUMENTS
from epochal.service.routes.info import OPERATIONS as INFO
from epochal.service.routes.reading import OPERATIONS as READING
from epochal.service.routes.search import OPERATIONS as SEARCH

__all__ = ["OPERATIONS"]

OPERATIONS: Final[tuple[Operation, ...]] = (*SEARCH, *READING, *ANSWERS, *DOCUMENTS, *COVERAGE, *BENCH, *INFO)
