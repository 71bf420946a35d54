from __future__ import annotations

import struct

import pytest

from epochal.errors import InputError
from epochal.llm.local import read_metadata


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def whole(*entries: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


ENTRIES = (
    entry("general.name", 8, text("Små")),
    entry("tokens", 9, struct.pack("<IQ", 8, 3) + text("a") + text("bc") + text("")),
    entry("scores", 9, struct.pack("<IQ", 6, 2) + struct.pack("<ff", 1.0, 2.0)),
    entry("nested", 9, struct.pack("<IQ", 9, 1) + struct.pack("<IQ", 4, 2) + struct.pack("<II", 1, 2)),
    entry("bos", 4, struct.pack("<I", 7)),
    entry("causal", 7, b"\x01"),
    entry("tokenizer.chat_template", 8, text("<|im_start|>")),
)


def test_entries_are_read_and_lists_are_passed_over(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(whole(*ENTRIES) + b"tensors")
    assert read_metadata(path) == {
        "general.name": "Små",
        "tokens": 3,
        "scores": 2,
        "nested": 1,
        "bos": 7,
        "causal": True,
        "tokenizer.chat_template": "<|im_start|>",
    }


def test_a_file_that_is_cut_anywhere_is_an_error(tmp_path):
    data = whole(*ENTRIES)
    path = tmp_path / "model.gguf"
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(InputError, match=r"model\.gguf: the file is"):
            read_metadata(path)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"PK\x03\x04 a zip file", "the file is no model; accepted: a GGUF file"),
        (whole(version=1), "the file is of GGUF version 1; accepted: 2, 3"),
        (whole(entry("a", 99, b"")), "cut off or damaged"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 60), "cut off or damaged"),
    ],
)
def test_other_files_are_named(tmp_path, data, problem):
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    with pytest.raises(InputError, match=problem):
        read_metadata(path)


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(InputError, match="the model cannot be read: Is a directory"):
        read_metadata(tmp_path)
