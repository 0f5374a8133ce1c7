"""Requests and replies as ASGI carries them."""
