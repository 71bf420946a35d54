"""What makes a passage the right one: the parts of a score, how they are weighed, and how versions are told apart."""

from epochal.ranking.pool import Pool, Scored, Scorer

__all__ = ["Pool", "Scored", "Scorer"]
