"""Hypothesis strategies for values that callers, services and backends may send.

A plain plural (``rows``) gives only values that the kernel accepts. A hostile one
(``hostile_rows``) gives only values that it must refuse. Needs ``webseam[testing]``.
"""

try:
    import hypothesis  # noqa: F401  fail here with a helpful message
except ModuleNotFoundError as error:
    message = "webseam.testing.strategies needs hypothesis: pip install 'webseam[testing]'"
    raise ModuleNotFoundError(message, name="hypothesis") from error

from .answers import (
    disguised_rows,
    documents,
    errors,
    hostile_documents,
    hostile_rows,
    json_values,
    rows,
)
from .backends import hostile_backends, hostile_compressors
from .questions import hostile_queries, hostile_urls, public_urls, queries, search_queries, urls

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
