"""Where a quote stands in a page."""
