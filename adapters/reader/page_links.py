"""The links of a page: those of its content, its menus and its maps. Pure; workers run it."""

from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin

from turbohtml import Document, Element

from ..pages.safe_text import one_line
from .html_parsing import parse_page

# A page has at most so many links here, and for a crawl.
MAX_LINKS = 5000
_MAX_TEXT_CHARS = 300


def link_elements(document: Document) -> list[Element]:
    """Return the elements of a page that link to another, in its order."""
    return document.select("a[href],area[href]")


def base_address(document: Document, url: str) -> str:
    """Return the address against which a page's links are resolved."""
    base = document.select_one("base[href]")
    return (None if base is None else resolve_link(url, base.attrs.get("href"))) or url


def resolve_link(base: str, href: object) -> str | None:
    """Return the address of a link without its fragment; None if it leads to no web page."""
    if not isinstance(href, str):
        return None
    # Browsers drop line ends and read blanks as %20.
    spelling = "".join(href.strip().splitlines()).replace("\t", "").replace(" ", "%20")
    try:
        link = urldefrag(urljoin(base, spelling)).url
    except ValueError:
        return None
    return link if link.startswith(("http://", "https://")) else None


def html_links(html: str, url: str) -> Iterator[tuple[str, str]]:
    """Yield the text and the address of each link in the HTML of the page at ``url``."""
    document = parse_page(html)
    if document is None:
        return
    base = base_address(document, url)
    for element in link_elements(document)[:MAX_LINKS]:
        address = resolve_link(base, element.attrs.get("href"))
        if address is not None:
            text = element.text or str(element.attrs.get("alt") or "")
            yield one_line(text[:_MAX_TEXT_CHARS]), address
