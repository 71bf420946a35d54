"""A network for each method."""

from __future__ import annotations

from collections.abc import Callable

from epochal.errors import EpochalError
from epochal.models.backbone import Backbone, RunsBackbone
from epochal.models.tmrl.adaptor import MAdaptor
from epochal.models.tmrl.network import Network, Single
from epochal.models.tmrl.router import RoutedRetriever
from epochal.models.tmrl.settings import TMRLSettings
from epochal.models.tmrl.two_encoders import TempRetriever

__all__ = ["made_network"]


def made_network(backbone: Backbone, settings: TMRLSettings) -> Network:
    """The network that a method trains, over a backbone, which becomes a part of it.

    >>> names = ("m-adaptor", "lora", "tsm")
    >>> [type(made_network(Backbone.tiny(["rain"]), TMRLSettings.named(name))).__name__ for name in names]
    ['MAdaptor', 'Single', 'Single']
    """
    if isinstance(backbone, RunsBackbone):
        raise EpochalError(f"the backbone is a {type(backbone).__name__}; accepted: a transformer")
    network = _kind(settings)(backbone, settings)
    if settings.recompute:
        for module in network.modules():
            if isinstance(module, Backbone):
                module.recompute()
    return network


def _kind(settings: TMRLSettings) -> Callable[[Backbone, TMRLSettings], Network]:
    if settings.method == "m-adaptor":
        return MAdaptor
    if settings.has_two_encoders:
        return TempRetriever
    return RoutedRetriever if settings.router else Single
