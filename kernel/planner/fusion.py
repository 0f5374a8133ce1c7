"""Merge the rows of several backends by reciprocal rank fusion; each page appears once.

A position is worth ``1 / (1 + position)``. The usual constant is 60, not 1, and is meant for runs
of a thousand (Cormack, Clarke and Buettcher 2009). For lists of ten it makes all ranks nearly
equal, and two ninth ranks beat a first.
"""

from collections.abc import Sequence

import msgspec

from webseam.ports.attempts import Sighting
from webseam.ports.web import WebSearchResult

from ..urls.spelling import page_address

_RANK_OFFSET = 1.0
_MIN_MEMBER_WEIGHT = 0.1
_WEIGHT_STEP = 0.2
# Chosen on one collection and confirmed on others: see docs/planner.md.
_PAIR_MEMBERS, _SECOND_MEMBER_WEIGHT = 2, 0.5
# Query parameters that name the referrer and do not change the page.
_TRACKING_PARAMETERS = frozenset({"gclid", "fbclid", "msclkid"})


class MemberRows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one member in its order, and the weight of its vote."""

    backend: str
    rows: Sequence[WebSearchResult]
    weight: float = 1.0


class FusedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One page: the row of the member that ranked it highest; ``found_by`` names all members."""

    row: WebSearchResult
    score: float
    found_by: tuple[Sighting, ...]


def default_fusion_weight(index: int, members: int) -> float:
    """Return the weight of a route's member; members named earlier weigh more.

    Of two, the second counts half: it lifts rows that both have and fills gaps, but where the two
    differ nothing shows which is right. From three on, members confirm each other.

    >>> [[default_fusion_weight(index, members) for index in range(members)] for members in (2, 3)]
    [[1.0, 0.5], [1.0, 0.8, 0.6]]
    """
    if members == _PAIR_MEMBERS:
        return _SECOND_MEMBER_WEIGHT**index
    return round(max(1.0 - _WEIGHT_STEP * index, _MIN_MEMBER_WEIGHT), 3)


def fuse_member_rows(listings: Sequence[MemberRows]) -> tuple[FusedRow, ...]:
    """Return each page once, best first.

    Ties go to the best position, then to the order of the members, then to the page key. The same
    lists give the same order, whichever list arrived first.
    """
    rows_by_page: dict[str, dict[int, int]] = {}
    for member, listing in enumerate(listings):
        for position, row in enumerate(listing.rows, 1):
            # A list may repeat a page; its first position counts.
            rows_by_page.setdefault(fusion_key(row.url), {}).setdefault(member, position)
    ranked = sorted((_rank_key(key, ranks, listings) for key, ranks in rows_by_page.items()))
    return tuple(
        _fuse_row(rows_by_page[key], -score, listings) for score, _best, _member, key in ranked
    )


def fusion_key(url: str) -> str:
    """Return a key that all URLs of one page share; it is looser than the key of a fetch.

    Search engines write one page with and without ``https``, ``www.``, a last slash and parameters
    that track, and order the parameters differently. Everything else is compared byte by byte. A
    sighting has the URL of its backend, so that no spelling is lost.

    >>> fusion_key("http://www.a.example/x/?utm_source=y&b=2&a=1")
    'a.example/x?a=1&b=2'
    """
    page = page_address(url)
    path, _, query = page.path.partition("?")
    parameters = [text for text in query.split("&") if text and not _is_tracking(text)]
    # The order of two values of one name may count: ?sort=a&sort=b.
    parameters.sort(key=_parameter_name)
    query = f"?{'&'.join(parameters)}" if parameters else ""
    return f"{page.host.removeprefix('www.')}{path.rstrip('/')}{query}{page.route}"


def _parameter_name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _is_tracking(parameter: str) -> bool:
    name = _parameter_name(parameter)
    return name.startswith("utm_") or name in _TRACKING_PARAMETERS


def _rank_key(
    key: str, ranks: dict[int, int], listings: Sequence[MemberRows]
) -> tuple[float, int, int, str]:
    # Sum in the order of the members: float sums depend on the order.
    score = sum(
        listings[member].weight / (_RANK_OFFSET + ranks[member]) for member in sorted(ranks)
    )
    best = min(ranks.values())
    member = min(member for member, position in ranks.items() if position == best)
    return -score, best, member, key


def _fuse_row(ranks: dict[int, int], score: float, listings: Sequence[MemberRows]) -> FusedRow:
    best = min(sorted(ranks), key=lambda member: ranks[member])
    rows = [listings[member].rows[ranks[member] - 1] for member in sorted(ranks)]
    row = listings[best].rows[ranks[best] - 1]
    secure = next((listed.url for listed in rows if listed.url.startswith("https:")), row.url)
    url = row.url if row.url.startswith("https:") else secure
    sightings = tuple(
        Sighting(
            backend=listings[member].backend,
            position=ranks[member],
            url=None if listed.url == url else listed.url,
        )
        for member, listed in zip(sorted(ranks), rows, strict=True)
    )
    return FusedRow(row=msgspec.structs.replace(row, url=url), score=score, found_by=sightings)
