"""The embedded page backend: a guarded fetcher and a page reader."""
