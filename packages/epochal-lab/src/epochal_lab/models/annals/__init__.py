"""A small character encoder for classical Chinese: pretrained as a masked language model, then by contrasting spans.

passages    texts from files, cleaned, without test records, packed to passages
vocabulary  characters by frequency and their tokenizer; the shape and settings of a model; needs no torch
tasks       masking, batches, and both training tasks
export      a transformers folder, and the same model in int8 as ONNX
"""

from __future__ import annotations

__all__: list[str] = []
