"""Trained models for temporal retrieval: their losses, their training and their files.

Nothing here is needed to search. Modules of this floor import torch when they are imported, and are imported only by
what trains a model or turns one into files; what runs at search time is numpy, and lives on the floors below.
"""

from __future__ import annotations

__all__: list[str] = []
