"""A small encoder of characters for classical Chinese, pretrained by guessing characters that were covered up.

sources       files, folders, archives and JSONL to texts
cleaning      markup, page marks and labels off; notes apart from the text they stand in
script        simplified characters to traditional ones
exclusion     leaving out what the records of a split say
passages      sentences to passages of one length, and the file that holds them
vocabulary    characters by frequency, as a tokenizer's folder
masking       which characters are covered up, on the device
settings      shape of the model and choices of the two tasks
task          the masked language model as a task of the trainer
spans         a second task: two spans of one passage lie near each other
folder        what training leaves behind: a transformers folder with a card
export        the same model in eight bits on ONNX
"""

from __future__ import annotations

__all__: list[str] = []
