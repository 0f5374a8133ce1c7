"""Which worker a request is for, when it is not for whichever took it.

Jobs live in the first, so that every worker finds them, their owner's limits and what was begun
before. A session of MCP lives where it began, which its id tells.
"""

from __future__ import annotations

import re

import msgspec

from ..http.heads import RequestHead

# Set by a worker that passes a request on; its value is known to the workers alone.
PASSED_ON = "x-webseam-worker"
PEER = "x-webseam-peer"
_JOBS = re.compile(r"(?:/k/[^/]+)?(?:/firecrawl)?/v[12]/(?:batch/scrape|crawl)(?:/|\Z)")
_SESSION = re.compile(r"([0-9]{1,3})\.")
_FIRST_WORKER = 0


class WorkerTeam(msgspec.Struct, frozen=True, kw_only=True):
    """The workers by their private ports, which of them this one is, and their common secret.

    Where the gateway speaks ``tls``, so do the private ports.
    """

    number: int
    ports: tuple[int, ...]
    secret: str
    tls: bool = False

    @property
    def others(self) -> tuple[int, ...]:
        """The ports of all but this one."""
        return tuple(port for number, port in enumerate(self.ports) if number != self.number)

    def port_for(self, head: RequestHead) -> int | None:
        """Return the port of the worker that has to answer; None for this one."""
        number = _number(head)
        if number is None or number == self.number or number >= len(self.ports):
            return None
        return None if self.passed_on(head) else self.ports[number]

    def passed_on(self, head: RequestHead) -> bool:
        """Tell whether another worker took the request and passed it on."""
        return head.headers.get(PASSED_ON) == self.secret


def session_prefix(team: WorkerTeam | None) -> str:
    """Return what the ids of sessions begin with."""
    return "" if team is None else f"{team.number}."


def _number(head: RequestHead) -> int | None:
    if _JOBS.match(head.path):
        return _FIRST_WORKER
    known = _SESSION.match(head.headers.get("mcp-session-id", ""))
    return None if known is None else int(known[1])
