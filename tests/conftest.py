"""What all tests share: property tests draw the same examples on every run, and no test waits for a clock."""

from hypothesis import settings

settings.register_profile("epochal", derandomize=True, deadline=None, database=None)
settings.load_profile("epochal")
