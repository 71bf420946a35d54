"""Every test of a model starts from the same random state, whichever tests ran before it in the same process."""

import os
import random

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def fixed_random_state() -> None:
    torch = pytest.importorskip("torch")
    seed = int(os.environ.get("EPOCHAL_TEST_SEED", "2"))
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
