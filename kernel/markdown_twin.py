"""Find the markdown version that a page names, and join it with the page.

A version on another origin could put other text in the place of the page, so it does not count.
"""

import re
from collections.abc import Mapping
from urllib.parse import urljoin

from msgspec.structs import replace
from returns.result import Success

from ..ports.pages import ReadPage
from ..ports.usage import USAGE_HEADERS, UsageStatement
from .urls.url_parsing import parse_target

_MAX_HEADER_CHARS = 8000
_FROM_MARKDOWN = ("content", "links", "images", "notes", "left_out", "complete")
# A link of RFC 8288 with its parameters; a URI reference is ASCII.
_LINK_PATTERN = re.compile(r"<([!-;=?-Z^-~]{1,2000}+)>([^<]{0,500}+)")
_TWIN_PATTERNS = tuple(
    re.compile(rf";\s*+{parameter}[\s\";,]", re.IGNORECASE)
    for parameter in (
        r"rel\s*+=\s*+\"?(?:[\w-]++ )*+alternate",
        r"type\s*+=\s*+\"?text/markdown",
    )
)


def find_markdown_twin(url: str, link_header: str, stated: str | None) -> str | None:
    """Return the markdown version that the page at ``url`` names on its own origin, if any.

    >>> link = '</x.md>; rel="alternate"; type="text/markdown"'
    >>> find_markdown_twin("https://a.example/x", link, None)
    'https://a.example/x.md'
    """
    links = _LINK_PATTERN.findall(link_header[:_MAX_HEADER_CHARS])
    named = [at for at, more in links if all(one.search(f"{more},") for one in _TWIN_PATTERNS)]
    urls = (url, *(urljoin(url, at) for at in named), stated or url)
    parsed = [one.unwrap() for one in map(parse_target, urls) if isinstance(one, Success)]
    origins = [(one.scheme, one.authority) for one in parsed]
    twins = (one.url for one, origin in zip(parsed, origins, strict=True) if origin == origins[0])
    return next((twin for twin in twins if twin != parsed[0].url), None)


def join_markdown_page(markdown: ReadPage, html: ReadPage, headers: Mapping[str, str]) -> ReadPage:
    """Return the HTML page with its markdown text; all that both and ``headers`` say counts."""
    said = (UsageStatement("header", name, headers.get(name, "")) for name in USAGE_HEADERS)
    taken = {name: getattr(markdown, name) for name in _FROM_MARKDOWN}
    return replace(html, **taken, statements=(*html.statements, *said))
