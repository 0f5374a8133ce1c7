"""A search that a service answers in pages: what to ask next, and what has come so far."""

from collections.abc import Sequence

import msgspec

from ...ports.backends import UntrustedRow
from ...ports.web import SearchAnswer, WebSearchQuery
from .operations import Reply, SearchAsk, SearchOperation

Row = UntrustedRow | SearchAnswer


class SearchPages:
    """The pages of one search. Without a limit, or without paging, there is one."""

    def __init__(self, operation: SearchOperation, query: WebSearchQuery) -> None:
        """Begin before the first page."""
        paging = operation.paging
        wanted = query.max_results
        self.rows: list[Row] = []
        self._paging = paging
        self._wanted = wanted
        self._repeated = 0
        # The same on every page: services count their pages by it.
        count = wanted if paging is None or wanted is None else min(wanted, paging.size)
        self._next: SearchAsk | None = SearchAsk(query=query, count=count)

    def next(self) -> SearchAsk | None:
        """Return what to ask for now; None when there is enough, or no more."""
        return self._next

    def take(self, reply: Reply, rows: Sequence[Row]) -> None:
        """Add a page's rows, and see whether to go on."""
        ask = self._next
        new = rows if not self.rows else self._unseen(rows)
        self._repeated += len(rows) - len(new)
        self.rows.extend(new)
        self._next = None if ask is None else self._after(ask, reply, len(rows), len(new))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the receipt should say about the pages."""
        if not self._repeated:
            return ()
        return (f"{self._repeated} rows came again on a later page and were left out",)

    def _after(self, ask: SearchAsk, reply: Reply, came: int, new: int) -> SearchAsk | None:
        paging, wanted = self._paging, self._wanted
        if paging is None or wanted is None or ask.page + 1 >= paging.most:
            return None
        short = paging.full and came < (ask.count or 0)
        if new == 0 or short or len(self.rows) >= wanted:
            return None
        token = paging.token(reply) if paging.token else ""
        if paging.token and not token:
            return None
        page = ask.page + 1
        offset = page * (ask.count or 0) if paging.full else len(self.rows)
        return msgspec.structs.replace(ask, page=page, offset=offset, token=token)

    def _unseen(self, rows: Sequence[Row]) -> list[Row]:
        """Leave out what an earlier page had; a row without a URL is for the kernel to judge."""
        seen = {_url(row) for row in self.rows} - {None}
        return [row for row in rows if _url(row) not in seen]


def _url(row: object) -> object:
    url = row.get("url") if isinstance(row, dict) else None
    return url if isinstance(url, str) else None
