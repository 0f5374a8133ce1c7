"""Each part of the core made from settings: backends, routes, caches, stores, prices, the root."""
