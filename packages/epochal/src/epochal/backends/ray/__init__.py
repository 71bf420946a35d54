"""Ray: the work of indexing, shared out over the cores and the machines of a cluster.

with connected("10.0.0.1:6379") as workers, Index.create("news") as index:
    load(index, "s3://news/*.parquet", workers)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.lazy import lazy_names

if TYPE_CHECKING:
    from epochal.backends.ray.cluster import RayWorkers as RayWorkers
    from epochal.backends.ray.cluster import connected as connected
    from epochal.backends.ray.loading import LoadReport as LoadReport
    from epochal.backends.ray.loading import load as load

__all__ = ["LoadReport", "RayWorkers", "connected", "load"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "epochal.backends.ray.cluster": "RayWorkers connected",
        "epochal.backends.ray.loading": "LoadReport load",
    },
)
