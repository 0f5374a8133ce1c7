"""What the feature is, and what it needs."""

from ..features import Feature

FEATURE = Feature(
    name="browser",
    what="pages that need a browser to be read",
)
