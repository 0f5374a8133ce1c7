"""Connections are opened for services, for pages behind the guard, and between our own workers."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
OPENERS = frozenset(
    {
        "AsyncClient",
        "AsyncHTTPTransport",
        "Client",
        "HTTPConnection",
        "HTTPSConnection",
        "HTTPTransport",
        "create_connection",
        "open_connection",
        "sock_connect",
        "urlopen",
    }
)
ALLOWED = {
    "adapters/http/dial.py": {"create_connection", "sock_connect"},
    # To see whether anybody is at the address of a cluster, which Ray itself then connects to.
    "adapters/features/bulk/ray_engine.py": {"create_connection"},
    "adapters/pages/fetch/connect.py": {"create_connection"},
    # To ports of this machine that the gateway itself has opened.
    "composition/features/gateway/workers.py": {"open_connection"},
}


def named_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def test_nothing_else_opens_a_connection() -> None:
    found: dict[str, set[str]] = {}
    for room in ("kernel", "ports", "adapters", "composition"):
        for path in (ROOT / room).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            openers = set(OPENERS.intersection(named_in(path)))
            if openers and not name.startswith("composition/features/testing/"):
                found[name] = openers

    assert found == ALLOWED
