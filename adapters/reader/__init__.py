"""Read an HTML page: its content as markdown, and its metadata.

``read_html`` is pure and total: any text or bytes in, a ``Result`` out.
"""

from .html import read_html

__all__ = ["read_html"]
