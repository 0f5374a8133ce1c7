"""Read many pages or searches into a dataset: ``webseam bulk`` and ``webseam.bulk``."""

from ...feature_table import Feature

FEATURE = Feature(
    name="bulk",
    what="many pages into a dataset, on one machine or several",
    extra="bulk",
    packages=("fastwarc", "protego", "pyarrow", "pycld2", "rensa"),
    needs=("documents", "data"),
)
