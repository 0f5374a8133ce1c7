"""The reader of HTML, for whoever has a page at hand.

Apart from the rest: a process that has its pages converted by others need not load it.
"""

from ...adapters.pages.reader.html import read_html

__all__ = ["read_html"]
