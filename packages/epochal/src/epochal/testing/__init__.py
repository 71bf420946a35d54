"""Conformance: suites that any tagger and any backend can be put through, yours or ours.

from epochal.testing import check_backend, check_tagger

def test_my_tagger():
    check_tagger(MyTagger(), languages=("en", "zh")).assert_passed()

def test_my_backend(tmp_path):
    check_backend(lambda encoder_name, dim: MyBackend.create(tmp_path, encoder_name, dim)).assert_passed()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.testing.report import CaseResult as CaseResult
    from epochal.testing.report import ConformanceReport as ConformanceReport
    from epochal.testing.stores import BACKEND_GROUPS as BACKEND_GROUPS
    from epochal.testing.stores import check_backend as check_backend
    from epochal.testing.taggers import GROUPS as GROUPS
    from epochal.testing.taggers import LANGUAGES as LANGUAGES
    from epochal.testing.taggers import Case as Case
    from epochal.testing.taggers import Expected as Expected
    from epochal.testing.taggers import cases as cases
    from epochal.testing.taggers import check_tagger as check_tagger

__all__ = [
    "BACKEND_GROUPS",
    "GROUPS",
    "LANGUAGES",
    "Case",
    "CaseResult",
    "ConformanceReport",
    "Expected",
    "cases",
    "check_backend",
    "check_tagger",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.testing.report": "CaseResult ConformanceReport",
        "epochal.testing.stores": "BACKEND_GROUPS check_backend",
        "epochal.testing.taggers": "Case Expected GROUPS LANGUAGES cases check_tagger",
    },
    renamed={"Report": "ConformanceReport", "Result": "CaseResult"},
)
