"""Regular expressions from their kept form are those that Python compiles, and damage to it does no harm."""

from __future__ import annotations

import gc
import pkgutil
import re
from importlib import import_module

import pytest

from epochal import kept, reading, regex, times
from epochal.lazy import LazyRegex

PATTERN, FLAGS = r"(?P<day>\d{1,2})(?:st|[nr]d|th)?\s+(\w+)|[à-ž]+", re.IGNORECASE


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EPOCHAL_CACHE", str(tmp_path))
    monkeypatch.setattr(regex, "_state", [])
    return tmp_path


def start_again(monkeypatch):
    """What the next process does: it reads the file and compiles nothing that is in it."""
    regex.keep_compiled()
    monkeypatch.setattr(regex, "_state", [])
    monkeypatch.setattr(regex, "_compile", None)


def test_every_lazy_expression_is_the_same_from_its_kept_form(folder, monkeypatch):
    for package in (reading, times):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    used = [(item.pattern, item._flags) for item in gc.get_objects() if isinstance(item, LazyRegex)]
    assert len(used) > 300
    compiled = [regex.compile_regex(*item) for item in used]
    start_again(monkeypatch)
    for item, before in zip(used, compiled, strict=True):
        made = regex.compile_regex(*item)
        assert made == before == re.compile(*item)  # Python compares what they are compiled to
        assert (made.groups, dict(made.groupindex)) == (before.groups, dict(before.groupindex))


def test_groups_keep_their_names_and_numbers(folder, monkeypatch):
    regex.compile_regex(PATTERN, FLAGS)
    start_again(monkeypatch)
    found = regex.compile_regex(PATTERN, FLAGS).search("on the 3RD May")
    assert found is not None
    assert (found["day"], found[2], found.lastindex, found.groupdict()) == ("3", "May", 2, {"day": "3"})


def test_nothing_is_written_where_nothing_is_new(folder, monkeypatch):
    regex.compile_regex(PATTERN, FLAGS)
    start_again(monkeypatch)
    (file,) = folder.iterdir()
    file.chmod(0o400)
    before = file.stat().st_mtime_ns
    regex.compile_regex(PATTERN, FLAGS)
    regex.keep_compiled()
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "rows",
    [
        [],
        {"0 a+": [1]},
        {"0 a+": None},
        {"0 a+": [32, 0, {}, 0, 4]},
        {"0 a+": [32, 0, {}, 0, 3]},
        {"0 a+": [32, 0, {}, "a", "b"]},
        {"0 a+": [32, 0, [], 0, 8]},
        {"0 a+": [32, -5, {"x": 9}, 0, 8]},
    ],
)
def test_a_damaged_form_is_compiled_again(folder, monkeypatch, rows):
    regex.compile_regex("a+")
    regex.keep_compiled()
    (file,) = folder.iterdir()
    kept.write_kept(file, rows, bytes(8))
    monkeypatch.setattr(regex, "_state", [])
    assert regex.compile_regex("a+") == re.compile("a+")


def test_no_folder_and_no_known_python_are_no_fault(monkeypatch):
    monkeypatch.setenv("EPOCHAL_CACHE", "")
    monkeypatch.setattr(regex, "_state", [])
    assert regex.compile_regex("a+").findall("aab") == ["aa"]
    regex.keep_compiled()
    monkeypatch.setattr(regex, "_IS_KNOWN", False)
    assert regex.compile_regex("b").findall("aab") == ["b"]


def test_a_mistake_in_an_expression_is_reported_as_by_python(folder):
    with pytest.raises(re.error):
        regex.compile_regex("(a")


def test_forms_of_earlier_processes_stay_beside_new_ones(folder, monkeypatch):
    regex.compile_regex(PATTERN, FLAGS)
    regex.keep_compiled()
    monkeypatch.setattr(regex, "_state", [])
    regex.compile_regex("[b-d]{2,}")
    start_again(monkeypatch)
    assert regex.compile_regex("[b-d]{2,}") == re.compile("[b-d]{2,}")
    assert regex.compile_regex(PATTERN, FLAGS) == re.compile(PATTERN, FLAGS)
