"""Types for common pages, for ``webseam.data(url, webseam.like.Recipe)``; see docs/data.md."""

from .kernel.features.data.shipped_types import Article, Dataset, Event, Job, Product, Recipe

__all__ = ["Article", "Dataset", "Event", "Job", "Product", "Recipe"]
