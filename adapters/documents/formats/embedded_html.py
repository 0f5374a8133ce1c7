"""HTML inside another document, as a chapter or a message: all of it is content.

Pages on their own go to an ``HtmlReader``, which chooses.
"""

from __future__ import annotations

from typing import Final, Protocol

from returns.result import Result
from turbohtml import Element, Text

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ...pages.safe_text import one_line
from ..reader.html_parsing import parse_page
from ..reader.rendering.markdown import render_markdown, tidy_tree
from ..reader.visibility.pruning import prune_hidden

_MAX_ALT_CHARS: Final = 300


class HtmlReader(Protocol):
    """The reader of HTML pages, handed in."""

    def __call__(
        self, html: bytes, url: str = "", *, content_type: str = ""
    ) -> Result[ReadPage, WebError]:
        """Read one page."""
        ...


def whole_markdown(html: str | bytes, base: str = "", content_type: str = "") -> str:
    r"""Return a whole HTML text as markdown, without what it hides; nothing when it blows up.

    >>> whole_markdown("<h1>Bread</h1><p>Flour &amp; <b>water</b><script>x()</script>")
    '# Bread\n\nFlour & **water**'
    """
    tree = parse_page(html, content_type)
    pruned = None if tree is None else prune_hidden(tree)
    if pruned is None:
        return ""
    _name_pictures(pruned.body)
    tidy_tree(pruned.body, base)
    return render_markdown(pruned.body)[0]


def _name_pictures(root: Element) -> None:
    """Put what is written about a picture in its place in a link, which would lose it."""
    for image in root.select("a img[alt]"):
        words = one_line(image.attr("alt") or "", _MAX_ALT_CHARS)
        if words:
            image.replace_with(Text(f" {words} "))
