"""Many pages into a dataset: what ``webseam bulk`` and ``webseam.bulk`` do."""

from ..features import Feature

FEATURE = Feature(
    name="bulk",
    what="many pages into a dataset, on one machine or several",
    extra="bulk",
    packages=("fastwarc", "protego", "pyarrow", "pycld2", "rensa"),
    needs=("documents",),
)
