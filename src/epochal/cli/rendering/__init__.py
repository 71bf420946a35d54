"""What a search found, in the terminal: hits, a timeline, and why; plain text where the output is no terminal."""

__all__: list[str] = []
