"""Limit the pages per host, counted over all processes of this user.

Settings: ``pages`` (20) in ``seconds`` (3600), ``file``. It is closed: a page that cannot be
counted is not read.
"""

import time
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from webseam.adapters.plugins.observers.counter import UseCounter
from webseam.ports.errors import CallRefused
from webseam.ports.middleware import CallFailed

from ..context import PluginContext


class DomainBudget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The page limit of a host, its time window, and the file of the counts."""

    pages: int = 20
    seconds: float = 3600.0
    file: str | None = None


def register(ctx: PluginContext) -> None:
    """Count each page before it is read."""
    budget = msgspec.convert(ctx.settings, DomainBudget, strict=False)
    file = Path(budget.file).expanduser() if budget.file else ctx.folder / "budget.sqlite"
    ledger = UseCounter(file, time.time)

    async def count_pages(**call: object) -> object:
        host = ledger.take(_argument_hosts(call["args"]), budget.pages, budget.seconds)
        if host is not None:
            reason = f"{budget.pages} pages of {host} in {budget.seconds:g} s are the budget"
            raise CallFailed(CallRefused(by=ctx.manifest.key, reason=reason))
        return await call["next_call"](call["args"])  # type: ignore[operator]  # as the contract has it

    ctx.register_middleware("tool_execution", count_pages, on_error="closed")


def _argument_hosts(args: object) -> tuple[str, ...]:
    urls = args.get("urls") if isinstance(args, dict) else None
    url_list = urls if isinstance(urls, list) else []
    hosts = (urlsplit(str(url)).hostname or "" for url in url_list)
    return tuple(host.removeprefix("www.").rstrip(".") for host in hosts if host)
