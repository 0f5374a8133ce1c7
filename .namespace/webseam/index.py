"""Your own documents, searched offline; see docs/document-index.md."""

from .adapters.features.index.contents import ListedDocument, Statistics
from .composition.features.index.library import (
    IndexChange,
    add,
    documents,
    refresh,
    remove,
    statistics,
)

__all__ = [
    "IndexChange",
    "ListedDocument",
    "Statistics",
    "add",
    "documents",
    "refresh",
    "remove",
    "statistics",
]
