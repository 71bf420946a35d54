"""An index in PostgreSQL with pgvector: `postgresql://HOST/DATABASE?namespace=NAME` in place of a folder.

What is ranked above it, and how, is the same code as over the embedded store. `store` writes, `view` reads.
"""

from __future__ import annotations

__all__: list[str] = []
