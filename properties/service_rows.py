"""Services and routes that have a known number of rows."""

from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

import httpx
from msgspec.structs import replace
from returns.result import Result, Success

from tests.services.made_up import service
from webseam.adapters.services.declaration import Offer, Price, Service
from webseam.adapters.services.filters import ROW_DATES, ROW_DOMAINS
from webseam.adapters.services.operations import Paging
from webseam.kernel.planner.call_state import Leg
from webseam.ports.backends import Abilities

MOST_ROWS = 12


class RowsOfAService(httpx.AsyncBaseTransport):
    """A service that has these rows, and gives those that its pages reach."""

    def __init__(self, wanted: Sequence[bool]) -> None:
        self.urls = [
            f"{'a' if is_wanted else 'bad'}.example/{n}" for n, is_wanted in enumerate(wanted)
        ]
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        fields = parse_qs(urlsplit(str(request.url)).query)
        offset, count = int(fields["offset"][0]), int(fields["count"][0])
        rows = self.urls[offset : offset + count]
        return httpx.Response(200, json={"rows": rows})


def decode(reply: object) -> Result[list[dict[str, object]], object]:
    rows = reply.payload["rows"]  # type: ignore[attr-defined]
    return Success([{"title": "t", "url": f"https://{row}", "snippet": ""} for row in rows])


def declared(paging: Paging | None, price: Price | None = None) -> Service:
    made_up = service(paging)
    assert made_up.search is not None
    return replace(
        made_up,
        search=replace(made_up.search, decode=decode),
        abilities=Abilities(max_results=MOST_ROWS, filters={**ROW_DOMAINS, **ROW_DATES}),
        offer=Offer(price=price),
    )


PAGINGS: list[Paging | None] = [
    None,
    Paging(size=4, most=3),
    Paging(size=4, most=3, full=False),
    Paging(size=12, most=1),
]


LEGS = (Leg(members=(("search:a#1",), ("search:b#1",), ("search:c#1",)), fuse=True),)
