"""Take links, or a part, out of the HTML of a page, in workers that load the parser."""

from typing import Final

import msgspec
from returns.result import Result

from webseam.ports.errors import WebError

from ..pages.workers.limits import WorkerLimits
from ..pages.workers.pool import Workers, share_workers

# By its name: this process never loads what reads a page.
_CONVERTER: Final = "webseam.adapters.reader.html_parts:convert_part"
_LIMITS: Final = WorkerLimits(cpu_seconds=5.0, wall_seconds=20.0, idle_seconds=20.0)
_workers: Final[Workers] = share_workers(_CONVERTER, _LIMITS)
_LINKS_DECODER: Final = msgspec.json.Decoder(list[tuple[str, str]])


async def find_links(html: str, url: str) -> Result[tuple[tuple[str, str], ...], WebError]:
    """Return the text and the address of each link in the HTML of the page at ``url``, once."""
    found = await _workers.convert(html.encode("utf-8", "replace"), "links", url)
    return found.map(lambda page: tuple(_LINKS_DECODER.decode(page.content)))


async def select_part(html: str, selector: str, url: str) -> Result[str, WebError]:
    """Return what of the page matches a selector that was checked, as markdown."""
    detail = msgspec.json.encode((selector, url)).decode()
    found = await _workers.convert(html.encode("utf-8", "replace"), "select", detail)
    return found.map(lambda page: page.content)
