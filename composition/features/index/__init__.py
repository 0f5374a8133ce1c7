"""``webseam index`` and its backend: which files are indexed, embedded, reported and removed."""

from ...feature_table import Feature

FEATURE = Feature(
    name="index",
    what="documents of your own, searched on this machine",
    extra="semantic",
    packages=("numpy",),
    needs=("documents", "models"),
    parts={
        "health": "composition.features.index.health:health_parts",
        "backends": "composition.features.index.backends:BACKENDS",
    },
)
