"""Re3: a learned scorer by text and time, trained on pools of candidates of queries with known answers.

settings  the shape of a model, training presets, and encodings of time gaps; needs no torch
features  time gaps and other inputs of the network, from a pool
model     the network in numpy, and its folder
scorer    Re3 as a scorer of the engine, alone or combined with the default scorer
pools     candidates of many queries, collected once and kept in a file
task      the network in torch, and its training task
training  from pools to a folder that a search can use
times     a model that reads the date of a sentence
"""

from __future__ import annotations

__all__: list[str] = []
