"""The guarded fetcher, which makes every request for a page."""
