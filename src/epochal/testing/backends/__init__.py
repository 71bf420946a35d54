"""The conformance suite for backends: made collections, the cases by what they try, and the suite that runs them."""

__all__: list[str] = []
