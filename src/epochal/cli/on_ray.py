"""What the commands that can run on a Ray cluster share: their options, and the cluster for as long as they run."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from epochal.errors import EpochalError

if TYPE_CHECKING:
    from epochal.backends.ray import Workers
    from epochal.cli.opening import Ingested
    from epochal.engine.index import Index

__all__ = ["add_ray_options", "ingest_on_ray", "ray_workers"]

#: The length of the bar: how many bytes there are is known only when the work begins.
_BAR: Final = 1000


def add_ray_options(parser: Any) -> None:
    """Add the options to a command.

    >>> parser = argparse.ArgumentParser()
    >>> add_ray_options(parser)
    >>> parser.parse_args(["--ray", "--workers", "2"]).ray
    'local'
    """
    parser.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="share the work out with Ray: over the cores of this machine, or over the cluster at HOST:PORT",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="how many workers --ray has; one a core, or a GPU, unless given"
    )
    parser.add_argument("--gpus", type=float, metavar="G", help="GPUs that each worker of --ray needs to encode; 0")


@contextmanager
def ray_workers(arguments: argparse.Namespace) -> Iterator[Workers | None]:
    """The workers that were asked for, while the context lasts; None without --ray.

    >>> with ray_workers(argparse.Namespace(ray=None, workers=2, gpus=None)) as workers:
    ...     pass
    Traceback (most recent call last):
    ...
    epochal.errors.EpochalError: --workers goes with --ray, which was not given
    """
    if arguments.ray is None:
        for name in ("workers", "gpus"):
            if getattr(arguments, name) is not None:
                raise EpochalError(f"--{name} goes with --ray, which was not given")
        yield None
        return
    from epochal.backends.ray import connected

    with connected(arguments.ray, arguments.workers, arguments.gpus or 0.0) as workers:
        yield workers


def ingest_on_ray(index: Index, arguments: argparse.Namespace, workers: Workers) -> Ingested:
    """Add what `epochal index` was told to, with a bar; the work is that of the workers.

    >>> ingest_on_ray.__name__
    'ingest_on_ray'
    """
    from epochal.backends.ray import Loaded, load
    from epochal.cli.opening import ingested
    from epochal.cli.progress import progress_bar

    with progress_bar(f"indexing with {workers.count} workers", _BAR) as tell:

        def told(loaded: Loaded) -> None:
            tell(loaded.bytes_read * _BAR // max(loaded.bytes_total, 1), f"{loaded.read:,} documents")

        loaded = load(
            index,
            arguments.source,
            workers,
            format=arguments.format,
            strict=arguments.strict,
            make_ids=arguments.id_from_row,
            progress=told,
        )
    return ingested(loaded, loaded.added)
