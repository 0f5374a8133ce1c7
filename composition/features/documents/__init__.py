"""Pages, office files, PDF, mail and books, read into markdown."""

from ...feature_table import Feature

FEATURE = Feature(
    name="documents", what="pages, office files, PDF, mail and books, read into markdown"
)
