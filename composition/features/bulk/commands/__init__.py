"""The commands ``bulk``, ``crawl`` and ``map``."""
