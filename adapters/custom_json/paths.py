"""Where something is in JSON, as people write it: ``data.items[0].name``."""

import re
from typing import TypeAlias

from returns.result import Failure, Result, Success

JsonPath: TypeAlias = tuple[str | int, ...]

_STEP = re.compile(r"""\.?([^.\[\]"'*\s$]+)|\[(\d{1,6})\]|\[(?:"([^"]+)"|'([^']+)')\]""")


def read_path(text: str) -> Result[JsonPath, str]:
    """Read a path; an empty one, or ``$``, is the whole document.

    >>> read_path("$.data.items[0]['a.b']").unwrap()
    ('data', 'items', 0, 'a.b')
    >>> read_path("data..items").failure()
    'is not a path at 5: write data.items, data[0] or data["a.b"]'
    """
    bare = text.strip()
    at, steps = int(bare.startswith("$")), list[str | int]()
    while at < len(bare):
        step = _STEP.match(bare, at)
        # A dot stands between two names and nowhere else.
        if step is None or (step[1] and (bare[at] == ".") != (at > 0)):
            return Failure(f'is not a path at {at + 1}: write data.items, data[0] or data["a.b"]')
        steps.append(int(step[2]) if step[2] else step[1] or step[3] or step[4])
        at = step.end()
    return Success(tuple(steps))


def spell_path(path: JsonPath) -> str:
    """Write a path for an error.

    >>> spell_path(("data", 0, "name"))
    '$.data[0].name'
    """
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
