"""Test sets made from published files, each by a builder that gives the same set for the same files."""

from epochal.bench.builders.registry import Builder, build, builder, builder_names
from epochal.bench.records import Switch

__all__ = ["Builder", "Switch", "build", "builder", "builder_names"]
