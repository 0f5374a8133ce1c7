"""Everything a server may send that is not HTML, one small file each."""

from .document import HtmlReader, read_document

__all__ = ["HtmlReader", "read_document"]
