"""Many pages into a dataset; see docs/bulk.md. It needs ``webseam[bulk]``."""

from .composition.features.bulk.dataset_duplicates import DuplicateCounts
from .composition.features.bulk.dataset_status import RunStatus
from .composition.features.bulk.library import (
    crawl,
    extract,
    mark_duplicates,
    report,
    rows,
    search,
    status,
)
from .kernel.features.bulk.counts import Summary
from .ports.bulk import BulkRow

__all__ = [
    "BulkRow",
    "DuplicateCounts",
    "RunStatus",
    "Summary",
    "crawl",
    "extract",
    "mark_duplicates",
    "report",
    "rows",
    "search",
    "status",
]
