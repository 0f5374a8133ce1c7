"""What is taken out of the HTML of a page after it was read: its links, or a part of it.

HTML is untrusted, so the workers of ``transforms/html_workers.py`` run this.
"""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import ParseFailed, WebError
from webseam.ports.pages import ReadPage

from .page_links import html_links
from .selection import select_markdown

# A link of one character becomes the whole address of its page.
_MAX_LINKS_CHARS: Final = 1_000_000


def convert_part(body: bytes, name: str, detail: str) -> Result[ReadPage, WebError]:
    """Do one job; a worker loads this by its name."""
    if name not in _PARTS:
        # The fork server converts an example page before its first fork.
        return Failure(ParseFailed(reason="corrupt", detail="there is no such part"))
    part = _PARTS[name](body.decode("utf-8", "replace"), detail)
    return part.map(lambda text: ReadPage(title="", content=text))


def _links(html: str, url: str) -> Result[str, WebError]:
    links: dict[tuple[str, str], None] = {}
    chars = 0
    for link in html_links(html, url):
        chars += len(link[0]) + len(link[1])
        if chars > _MAX_LINKS_CHARS:
            return Failure(ParseFailed(reason="too_complex", detail="its links are too long"))
        links[link] = None
    return Success(msgspec.json.encode(list(links)).decode())


def _selection(html: str, detail: str) -> Result[str, WebError]:
    selector, url = msgspec.json.decode(detail, type=tuple[str, str])
    return select_markdown(html, selector, url)


_PARTS: Final[Mapping[str, Callable[[str, str], Result[str, WebError]]]] = {
    "links": _links,
    "select": _selection,
}
