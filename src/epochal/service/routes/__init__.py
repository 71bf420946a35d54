"""What the service does, one file a part; `table` puts them together."""

__all__: list[str] = []
