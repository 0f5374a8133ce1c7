"""Plugins that come with webseam. Each is a file of its own, and an example to write one after."""

SHIPPED: dict[str, str] = {}
