"""``python -m webseam.composition.cli``: the same as ``webseam``."""

import sys

from . import main

sys.exit(main())
