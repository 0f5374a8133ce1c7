"""Hypothesis strategies: what callers, services and backends may hand over, good and hostile.

A plain plural (``rows``) gives only what the kernel accepts. A hostile one (``hostile_rows``) gives
only what it must refuse, so both can be asserted on. Needs ``webseam[testing]``.
"""

try:
    import hypothesis  # noqa: F401  the others need it; here the reason can be given
except ModuleNotFoundError as error:
    message = "webseam.testing.strategies needs hypothesis: pip install 'webseam[testing]'"
    raise ModuleNotFoundError(message, name="hypothesis") from error

from .backends import hostile_backends, hostile_compressors
from .documents import documents, hostile_documents
from .errors import errors
from .json_values import json_values
from .queries import hostile_queries, queries, search_queries
from .rows import disguised_rows, hostile_rows, rows
from .urls import hostile_urls, public_urls, urls

__all__ = [
    "disguised_rows",
    "documents",
    "errors",
    "hostile_backends",
    "hostile_compressors",
    "hostile_documents",
    "hostile_queries",
    "hostile_rows",
    "hostile_urls",
    "json_values",
    "public_urls",
    "queries",
    "rows",
    "search_queries",
    "urls",
]
