"""Which pages are read for a question: those of all queries as one list, spread over hosts."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from ...ports.web import SearchOutcome, WebSearchResult
from ..planner.fusion import MemberRows, fuse_rows

MAX_PER_HOST = 2


def choose_pages(searches: Sequence[SearchOutcome], max_pages: int) -> tuple[WebSearchResult, ...]:
    """Return the rows to read, best first: at most two of a host, unless there is nothing else."""
    listings = [MemberRows(backend=str(at), rows=each.rows) for at, each in enumerate(searches)]
    rows = [fused.row for fused in fuse_rows(listings)]
    hosts: Counter[str] = Counter()
    first: list[WebSearchResult] = []
    rest: list[WebSearchResult] = []
    for row in rows:
        host = urlsplit(row.url).netloc.lower()
        hosts[host] += 1
        (first if hosts[host] <= MAX_PER_HOST else rest).append(row)
    return tuple((*first, *rest)[:max_pages])
