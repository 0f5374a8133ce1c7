"""``python -m webseam.composition.doors.cli``: the same as ``webseam``."""

import sys

from .program import main

sys.exit(main())
