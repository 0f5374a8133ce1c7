"""``python -m webseam.composition.cli``: the same as ``webseam``."""

import sys

from .program import main

sys.exit(main())
