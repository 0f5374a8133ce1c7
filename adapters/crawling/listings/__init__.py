"""Files that list pages: sitemaps, feeds, lines; also broken ones."""
