"""Read the lines of robots.txt about the use of pages: Content-Usage, Content-Signal, License.

draft-ietf-aipref-attach-05, contentsignals.org and rslstandard.org (2026-11-18). A rule may begin
with a path; the rules with the longest path that matches apply (RFC 9309, 2.2.2).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from webseam.ports.usage import UsageStatement

_USAGE_NAMES = ("content-usage", "content-signal", "license")
_AGENT_NAMES, _RULE_NAMES = ("user-agent", "useragent"), ("allow", "disallow", *_USAGE_NAMES)
_MAX_LINES, _MAX_LINE_CHARS = 100, 2000
_PRODUCT_PATTERN = re.compile(r"[a-z_-]+|\*")


class UsageLine(NamedTuple):
    """A line: its name, the path that it applies to, and its value."""

    name: str
    path: str
    value: str


def parse_robots_usage(text: str, agent: str) -> tuple[UsageLine, ...]:
    """Return the lines of the group for ``agent``, or for all robots, and those of no group."""
    groups: dict[str, list[UsageLine]] = {"": []}
    agents, is_open = [""], False
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        name = name.lower()
        if name in _AGENT_NAMES:
            product = _PRODUCT_PATTERN.match(value.lower())
            agents = [*(agents if is_open else ()), product[0] if product else value]
            groups.setdefault(agents[-1], [])
        elif name in _USAGE_NAMES and len(value) <= _MAX_LINE_CHARS:
            path, _, rest = value.partition(" ") if value.startswith("/") else ("/", "", value)
            for group in agents:
                groups[group].append(UsageLine(name, path, rest.strip()))
        # Only a rule ends the list of agents (RFC 9309, 2.2.4).
        is_open = name in _AGENT_NAMES or (is_open and name not in _RULE_NAMES)
    chosen = groups.get(agent.lower(), groups.get("*", []))
    return (*groups[""], *chosen)[:_MAX_LINES]


def robots_statements(lines: Iterable[UsageLine], path: str) -> tuple[UsageStatement, ...]:
    """Return the statements for the page at ``path``."""
    matching = [line for line in lines if _matches_path(line.path, path)]
    longest = {
        name: max((len(line.path) for line in matching if line.name == name), default=0)
        for name in _USAGE_NAMES
    }
    return tuple(
        UsageStatement("robots.txt", line.name, line.value)
        for line in matching
        if len(line.path) == longest[line.name]
    )


def _matches_path(pattern: str, path: str) -> bool:
    """Tell whether a pattern with ``*`` and a final ``$`` matches the start of a path."""
    first, *pieces = pattern.removesuffix("$").split("*")
    if not pieces:
        return path == first if pattern.endswith("$") else path.startswith(first)
    if not path.startswith(first):
        return False
    last, position = pieces.pop() if pattern.endswith("$") else "", len(first)
    for piece in pieces:
        start = path.find(piece, position)
        if start < 0:
            return False
        position = start + len(piece)
    return path.endswith(last, position)
