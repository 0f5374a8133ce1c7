"""The elements of a page that a CSS selector matches, as markdown.

What the page hides is pruned first: a selector may not bring back text that no visitor sees.
"""

from returns.result import Failure, Result, Success
from turbohtml import Element

from webseam.ports.errors import EmptyContent, ParseFailed, WebError

from .html import fit_html_page
from .html_parsing import parse_page
from .rendering.images import take_images
from .rendering.markdown import render_markdown, tidy_tree
from .visibility.pruning import prune_page

_MAX_MATCHES = 1000


def select_markdown(html: str, selector: str, url: str) -> Result[str, WebError]:
    """Return the visible elements that match, in the page's order; one inside another once."""
    document = parse_page(fit_html_page(html).html)
    pruned = None if document is None else prune_page(document, menus=True)
    if document is None or pruned is None:
        return Failure(ParseFailed(reason="too_complex"))
    base = document.base_url(url)
    blocks: list[str] = []
    matches = document.select(selector)[:_MAX_MATCHES]
    for element in _outer_elements(matches):
        take_images(element, base)
        tidy_tree(element, base)
        blocks.append(render_markdown(element)[0])
    content = "\n\n".join(filter(None, blocks))
    return Success(content) if content else Failure(EmptyContent(reason="no_match"))


def _outer_elements(matches: list[Element]) -> list[Element]:
    """Return the elements that stand in no other match."""
    outer: list[Element] = []
    seen: set[Element] = set()
    for element in matches:
        seen.add(element)
        if not any(ancestor in seen for ancestor in element.ancestors):
            outer.append(element)
    return outer
