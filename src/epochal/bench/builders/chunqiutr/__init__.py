"""ChunQiuTR built anew: months of the Spring and Autumn Annals, asked for in the way of its reigns."""

from epochal.bench.builders.chunqiutr.protocol import family, protocol

__all__ = ["family", "protocol"]
