"""The shapes of what requests ask and of what they are told: types, bounds, and words for the description."""

__all__: list[str] = []
