"""Read a page's data for machines: linked data, microdata and script data."""
