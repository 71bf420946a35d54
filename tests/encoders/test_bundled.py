"""The encoders that ship."""

from __future__ import annotations

import subprocess
import sys

import pytest

from encoder_promises import EncoderPromises
from epochal.encoders.registry import encoder

MINILM = encoder("minilm", threads=1)
STATIC = encoder("static")


class TestMiniLM(EncoderPromises):
    @pytest.fixture
    def one(self):
        return MINILM


class TestStatic(EncoderPromises):
    @pytest.fixture
    def one(self):
        return STATIC


@pytest.mark.parametrize("name", ["minilm", "static"])
def test_nothing_is_loaded_before_the_first_text(name):
    code = (
        "import sys; from epochal.encoders import encoder;"
        f"made = encoder({name!r}); made.name, made.dim, made.encode_documents([]);"
        "print([name for name in ('onnxruntime', 'tokenizers', 'torch') if name in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


def test_torch_is_never_loaded():
    code = (
        "import sys; from epochal.encoders import encoder;"
        "[encoder(name).encode_documents(['law']) for name in ('minilm', 'static')];"
        "print('torch' in sys.modules, 'transformers' in sys.modules)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "False False"
