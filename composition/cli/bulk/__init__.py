"""What ``bulk``, ``crawl`` and ``map`` share."""
