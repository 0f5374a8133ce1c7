"""The network of a run, loaded with the first page that is to be fetched: files do without it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from returns.result import Result

from ...kernel.bulk.url_lists import ListEntry
from ...kernel.policy.policy_rules import Policy
from ...ports.bulk import Shard
from ...ports.errors import WebError
from .inputs.sources import Source
from .options import BulkOptions

if TYPE_CHECKING:
    from .fetching import Fetching


class RunNetwork:
    """One ``Fetching`` for a whole run; ``on_fetch`` is called for each page that has come."""

    def __init__(
        self,
        options: BulkOptions,
        policy: Policy,
        *,
        is_stopping: Callable[[], bool] = lambda: False,
        on_fetch: Callable[[], None] = lambda: None,
    ) -> None:
        """Load nothing yet."""
        self._options, self._policy = options, policy
        self._is_stopping, self._on_fetch = is_stopping, on_fetch

    async def fetch_shard(self, shard: Shard, folder: Path) -> bool:
        """Have the pages of a shard as WARC; False when the run was stopped before that.

        Raises ``OSError``.
        """
        return await self._fetching.fetch_shard(shard, folder)

    async def expand(self, source: Source) -> Result[list[ListEntry], WebError]:
        """Return the pages that a sitemap or feed lists, and those of the sitemaps in it."""
        return await self._fetching.lists.expand(source)

    @cached_property
    def _fetching(self) -> Fetching:
        from .fetching import Fetching, index_former_run  # noqa: PLC0415  a fifth of a second

        index_former_run(self._options)
        fetching = Fetching(self._options, self._policy, is_stopping=self._is_stopping)
        fetching.on_fetch = self._on_fetch
        return fetching
