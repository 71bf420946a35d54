"""`python -m epochal` is the command `epochal`."""

import sys

from epochal.cli import main

sys.exit(main())
