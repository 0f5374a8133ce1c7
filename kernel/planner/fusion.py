"""Several lists of rows as one: reciprocal rank fusion, each page once.

A place is worth ``1 / (1 + place)``. The usual 60 in the place of the first 1 is meant for runs of
a thousand (Cormack, Clarke and Buettcher 2009); for lists of ten it makes all places nearly equal,
and two ninth places win over a first.
"""

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from ...ports.attempts import Sighting
from ...ports.web import WebSearchResult
from ..urls.spelling import canonical_url

_K = 1.0
_MIN_MEMBER_WEIGHT = 0.1
_WEIGHT_STEP = 0.2
# Chosen on one collection, and true of others: see docs/planner.md.
_TWO, _SECOND = 2, 0.5
# What tells a site who sent the reader, and nothing about the page.
_TRACKING = frozenset({"gclid", "fbclid", "msclkid"})


class MemberRows(msgspec.Struct, frozen=True, kw_only=True):
    """What one member found, in its order, and how much its word counts."""

    backend: str
    rows: Sequence[WebSearchResult]
    weight: float = 1.0


class FusedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One page: its row is that of the member that had it first; ``found_by`` names all."""

    row: WebSearchResult
    score: float
    found_by: tuple[Sighting, ...]


def default_weight(index: int, members: int) -> float:
    """Return what the word of a route's member counts: the earlier named, the more.

    Of two, the second counts half: it moves up what both have, and fills in, but nothing tells
    which of two that differ is right. From three on the others are witnesses.

    >>> [[default_weight(index, members) for index in range(members)] for members in (2, 3)]
    [[1.0, 0.5], [1.0, 0.8, 0.6]]
    """
    if members == _TWO:
        return _SECOND**index
    return round(max(1.0 - _WEIGHT_STEP * index, _MIN_MEMBER_WEIGHT), 3)


def fuse_rows(listings: Sequence[MemberRows]) -> tuple[FusedRow, ...]:
    """Return each page once, best first.

    Ties go to the better best place, then to the order of the members, then to the page's name. So
    the same lists give the same order, whichever came first.
    """
    rows_by_page: dict[str, dict[int, int]] = {}
    for member, listing in enumerate(listings):
        for place, row in enumerate(listing.rows, 1):
            # Twice in one list: the first counts.
            rows_by_page.setdefault(page_key(row.url), {}).setdefault(member, place)
    ranked = sorted((_rank(key, places, listings) for key, places in rows_by_page.items()))
    return tuple(
        _fused(rows_by_page[key], -score, listings) for score, _place, _member, key in ranked
    )


def page_key(url: str) -> str:
    """Return what two URLs of one page share, more loosely than for a fetch.

    >>> page_key("http://www.a.example/x/?utm_source=y&b=2&a=1")
    'a.example/x?a=1&b=2'
    """
    parts = urlsplit(canonical_url(url))
    pairs = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not name.startswith("utm_") and name not in _TRACKING
    )
    query = f"?{urlencode(pairs)}" if pairs else ""
    return f"{parts.netloc.removeprefix('www.')}{parts.path.rstrip('/')}{query}"


def _rank(
    key: str, places: dict[int, int], listings: Sequence[MemberRows]
) -> tuple[float, int, int, str]:
    # Summed in the order of the members: floats add up to the same only in the same order.
    score = sum(listings[member].weight / (_K + places[member]) for member in sorted(places))
    best = min(places.values())
    first = min(member for member, place in places.items() if place == best)
    return -score, best, first, key


def _fused(places: dict[int, int], score: float, listings: Sequence[MemberRows]) -> FusedRow:
    best = min(sorted(places), key=lambda member: places[member])
    rows = [listings[member].rows[places[member] - 1] for member in sorted(places)]
    row = listings[best].rows[places[best] - 1]
    secure = next((one.url for one in rows if one.url.startswith("https:")), row.url)
    url = row.url if row.url.startswith("https:") else secure
    sightings = tuple(
        Sighting(backend=listings[member].backend, position=places[member])
        for member in sorted(places)
    )
    return FusedRow(row=msgspec.structs.replace(row, url=url), score=score, found_by=sightings)
