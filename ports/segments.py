"""Steps in a path: ``.`` and ``..`` are taken before anybody judges it or asks for it."""

import re
from typing import Final

_STEP: Final = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
_HERE: Final = frozenset({".", "%2e"})
_UP: Final = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})


def without_steps(path: str) -> str:
    """Return a path without ``.`` and ``..``, also where they are percent-encoded.

    RFC 3986, 5.2.4, and https://url.spec.whatwg.org/#path-state (read 2026-11-17).

    >>> without_steps("/a/./b/%2E%2e/c/.."), without_steps("/../x"), without_steps("/a/.../b")
    ('/a/', '/x', '/a/.../b')
    """
    return _stepped(path) if _STEP.search(path) else path


def _stepped(path: str) -> str:
    kept: list[str] = []
    steps = path.lower().split("/")[1:]
    for step, segment in zip(steps, path.split("/")[1:], strict=True):
        if step in _UP:
            del kept[-1:]
        elif step not in _HERE:
            kept.append(segment)
    if steps[-1] in _HERE | _UP:
        kept.append("")
    return "/" + "/".join(kept)
