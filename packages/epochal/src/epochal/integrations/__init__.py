"""Epochal inside other people's frameworks: a module each, which needs the packages of its own extra and no other."""

from __future__ import annotations

__all__: list[str] = []
