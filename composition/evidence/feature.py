"""What the feature is, and what it needs."""

from ..features import Feature

FEATURE = Feature(
    name="evidence",
    what="answers whose claims are checked against their sources, and comparisons of backends",
    needs=("models", "index"),
)
