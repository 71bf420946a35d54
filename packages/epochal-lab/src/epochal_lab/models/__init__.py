"""Trained models for temporal retrieval: losses, training and file formats.

Searching needs none of this: modules here import torch, while what runs at search time is numpy and lives in `epochal`.
"""

from __future__ import annotations

__all__: list[str] = []
