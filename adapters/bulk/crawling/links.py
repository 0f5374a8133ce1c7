"""The links of a page, read in a worker as pages are: markup is hostile until it is read."""

import re
from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin

from returns.result import Failure, Result, Success
from turbohtml import Document, parse

from ....ports.errors import UnsupportedContent, WebError
from ....ports.pages import ReadPage
from ...pages.fetch.content import media_type_essence

CONVERTER = f"{__name__}:convert_links"
_HTML = frozenset({"text/html", "application/xhtml+xml", ""})
_MAX_LINKS = 5000
_MAX_METAS = 500
_NO = frozenset({"nofollow", "none"})
# https://html.spec.whatwg.org/#shared-declarative-refresh-steps (2026-11-17)
_REFRESH = re.compile(r"""\s*[\d.]+[\s;,]+(?:url\s*=\s*)?["']?([^"']+)""", re.IGNORECASE)


def convert_links(body: bytes, content_type: str, url: str) -> Result[ReadPage, WebError]:
    """Return the links of a page, one a line, the URL that it calls its own, and its wishes."""
    if media_type_essence(content_type) not in _HTML:
        return Failure(UnsupportedContent(content_type=media_type_essence(content_type)))
    document = parse(body)
    links = "\n".join(_links(document, url))
    own = document.select_one('link[rel~="canonical" i]')
    canonical = _joined(url, own.attrs.get("href")) if own is not None else None
    robots = tuple(_wishes(document))
    return Success(ReadPage(title="", content=links, canonical_url=canonical, robots=robots))


def _links(document: Document, url: str) -> list[str]:
    base = document.find("base")
    place = (_joined(url, base.attrs.get("href")) if base is not None else None) or url
    links = dict.fromkeys(_moved(document, place))
    for anchor in document.select("a[href],area[href]")[:_MAX_LINKS]:
        link = _joined(place, anchor.attrs.get("href"))
        if link is not None and not _words(anchor.attrs.get("rel")) & _NO:
            links[link] = None
    return list(links)


def _moved(document: Document, place: str) -> Iterator[str]:
    """Yield where a page sends its readers by itself."""
    for meta in document.select('meta[http-equiv="refresh" i][content]')[:1]:
        refresh = _REFRESH.match(str(meta.attrs.get("content")))
        link = None if refresh is None else _joined(place, refresh[1])
        if link is not None:
            yield link


def _words(value: object) -> set[str]:
    """Return the words of an attribute, in lower case; some are lists already."""
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
    return set(text.lower().replace(",", " ").split())


def _wishes(document: Document) -> Iterator[str]:
    """Yield what the page asks of robots about its links, as a header would have it."""
    for meta in document.select("meta[name][content]")[:_MAX_METAS]:
        name, content = str(meta.attrs.get("name")).strip(), str(meta.attrs.get("content"))
        if _words(content) & _NO:
            yield content if name.lower() == "robots" else f"{name}: {content}"


def _spelt(place: str) -> str:
    """Return an address as browsers take it: without ends of lines, blanks in percent signs."""
    return "".join(place.strip().splitlines()).replace("\t", "").replace(" ", "%20")


def _joined(base: str, place: object) -> str | None:
    if not isinstance(place, str):
        return None
    try:
        link = urldefrag(urljoin(base, _spelt(place))).url
    except ValueError:
        return None
    return link if link.startswith(("http://", "https://")) else None
