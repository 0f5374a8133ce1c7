"""HTML inside another document, as a chapter or a message: all of it is content.

Pages on their own go to an ``HtmlReader``, which chooses.
"""

from __future__ import annotations

from typing import Protocol

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ..reader.hidden.pruning import prune
from ..reader.rendering.markdown import render, tidy
from ..reader.trees import open_tree


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
    tree = open_tree(html, content_type)
    pruned = None if tree is None else prune(tree)
    if pruned is None:
        return ""
    tidy(pruned.body, base)
    return render(pruned.body)[0]
