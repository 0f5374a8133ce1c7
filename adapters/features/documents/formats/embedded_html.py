"""HTML inside another document, as a chapter or a message: all of it is content.

A page of its own goes to an ``HtmlReader``, which selects the article.
"""

from __future__ import annotations

from typing import Final, Protocol

from turbohtml import Text

from webseam.adapters.pages.safe_text import one_line
from webseam.adapters.reader.html_parsing import parse_page
from webseam.adapters.reader.rendering.markdown import render_markdown, tidy_tree
from webseam.adapters.reader.visibility.pruning import prune_page
from webseam.ports.pages import PagePart

from .draft import PageResult

_MAX_ALT_CHARS: Final = 300


class HtmlReader(Protocol):
    """The reader of HTML pages, passed in by the caller."""

    def __call__(self, html: bytes, url: str = "", *, content_type: str = "") -> PageResult:
        """Read one page."""


def html_to_markdown(
    html: str | bytes,
    base: str = "",
    content_type: str = "",
    *,
    parts: list[PagePart] | None = None,
) -> str:
    r"""Return all visible HTML as markdown; empty when it cannot be parsed.

    What is left out is added to ``parts``.

    >>> html_to_markdown("<h1>Bread</h1><p>Flour &amp; <b>water</b><script>x()</script>")
    '# Bread\n\nFlour & **water**'
    """
    tree = parse_page(html, content_type)
    pruned = None if tree is None else prune_page(tree)
    if pruned is None:
        return ""
    # Replace pictures in links by their descriptions: the link's text would lose them.
    for image in pruned.body.select("a img[alt]"):
        words = one_line(image.attr("alt") or "", _MAX_ALT_CHARS)
        if words:
            image.replace_with(Text(f" {words} "))
    tidy_tree(pruned.body, base, pruned.removals)
    if parts is not None:
        pruned.removals.rename("walled", "hidden")
        parts += pruned.removals.parts()
    return render_markdown(pruned.body)[0]
