"""The links of a page. A worker process reads them, because markup is untrusted."""

import re
from collections.abc import Iterator

from returns.result import Failure, Result, Success
from turbohtml import Document, parse

from webseam.adapters.pages.fetch.content import media_type_essence
from webseam.adapters.reader.html_parsing import parse_decoded
from webseam.adapters.reader.page_links import (
    MAX_LINKS,
    base_address,
    link_elements,
    resolve_link,
)
from webseam.ports.errors import UnsupportedContent, WebError
from webseam.ports.pages import ReadPage

CONVERTER = f"{__name__}:convert_links"
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", ""})
_MAX_METAS = 500
_NOFOLLOW_TOKENS = frozenset({"nofollow", "none"})
# https://html.spec.whatwg.org/#shared-declarative-refresh-steps (2026-11-17)
_REFRESH_PATTERN = re.compile(r"""\s*[\d.]+[\s;,]+(?:url\s*=\s*)?["']?([^"']+)""", re.IGNORECASE)


def convert_links(body: bytes, content_type: str, url: str) -> Result[ReadPage, WebError]:
    """Return the links of a page, one a line, its canonical URL, and its robots directives.

    The page is decoded as for reading. ``notes`` has the links that it asks not to follow, and
    ``links`` is how many places have one: those after ``MAX_LINKS`` are not read.
    """
    if media_type_essence(content_type) not in _HTML_TYPES:
        return Failure(UnsupportedContent(content_type=media_type_essence(content_type)))
    document = parse_decoded(body, content_type, _parse)
    if document is None:
        return Failure(UnsupportedContent(content_type=media_type_essence(content_type)))
    base_url = base_address(document, url)
    anchors = link_elements(document)
    links = dict.fromkeys(_meta_refresh_targets(document, base_url))
    unfollowed: dict[str, None] = {}
    for anchor in anchors[:MAX_LINKS]:
        link = resolve_link(base_url, anchor.attrs.get("href"))
        if link is None:
            continue
        if _attribute_tokens(anchor.attrs.get("rel")) & _NOFOLLOW_TOKENS:
            unfollowed[link] = None
        else:
            links[link] = None
    canonical = document.select_one('link[rel~="canonical" i]')
    canonical_url = None
    if canonical is not None:
        canonical_url = resolve_link(base_url, canonical.attrs.get("href"))
    return Success(
        ReadPage(
            title="",
            content="\n".join(links),
            canonical_url=canonical_url,
            robots=tuple(_nofollow_directives(document)),
            notes=tuple(unfollowed),
            links=len(anchors),
        )
    )


def _parse(html: str | bytes, encoding: str | None) -> Document:
    return parse(html, encoding=encoding, detect_encoding=encoding is None)


def _meta_refresh_targets(document: Document, base_url: str) -> Iterator[str]:
    for meta in document.select('meta[http-equiv="refresh" i][content]')[:1]:
        refresh = _REFRESH_PATTERN.match(str(meta.attrs.get("content")))
        link = None if refresh is None else resolve_link(base_url, refresh[1])
        if link is not None:
            yield link


def _attribute_tokens(value: object) -> set[str]:
    """Return the tokens of an attribute in lower case; the parser splits some into lists."""
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
    return set(text.lower().replace(",", " ").split())


def _nofollow_directives(document: Document) -> Iterator[str]:
    """Yield the page's nofollow directives, spelt as in an X-Robots-Tag header."""
    for meta in document.select("meta[name][content]")[:_MAX_METAS]:
        name, content = str(meta.attrs.get("name")).strip(), str(meta.attrs.get("content"))
        if _attribute_tokens(content) & _NOFOLLOW_TOKENS:
            yield content if name.lower() == "robots" else f"{name}: {content}"
