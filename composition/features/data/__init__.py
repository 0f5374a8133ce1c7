"""Typed values from a page, each with its proof."""

from ...feature_table import Feature

FEATURE = Feature(
    name="data",
    what="typed values from a page, each with its proof",
    needs=("models",),
    parts={
        "learn_pages": "composition.features.data.learning:learn_pages",
        "tool": "composition.features.data.data_tool:TOOL",
        "page_data": "composition.features.data.page_data:read_page_data",
    },
)
