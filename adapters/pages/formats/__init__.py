"""Everything a server may send that is not HTML, one small file each."""

from .document import read_document
from .hypertext import HtmlReader

__all__ = ["HtmlReader", "read_document"]
