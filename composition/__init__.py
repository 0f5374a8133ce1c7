"""The only place that knows everything: it chooses the parts and puts them together."""

from .backends import json_backend

__all__ = ["json_backend"]
