"""What all tests share: property tests draw the same examples on every run, and no test waits for a clock."""

import os

from hypothesis import settings

# Few examples while one works, more where there is time: HYPOTHESIS_PROFILE=heavy, or CI.
settings.register_profile("light", derandomize=True, deadline=None, database=None, max_examples=25)
settings.register_profile("heavy", derandomize=True, deadline=None, database=None, max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "heavy" if os.environ.get("CI") else "light"))
