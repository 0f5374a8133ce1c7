"""One table set in a TOML text, in place: every other byte stays."""

from __future__ import annotations

import json
import re
import tomllib

from returns.result import Failure, Result, Success

from ..json_rpc import Json
from .jsonc import BY_HAND


def set_table(text: str, path: tuple[str, str], value: Json) -> Result[str, str]:
    r"""Return ``text`` with the table ``[path]``, or why that cannot be done.

    >>> print(set_table("# mine\na = 1\n", ("servers", "w"), {"command": "x"}).unwrap())
    # mine
    a = 1
    <BLANKLINE>
    [servers.w]
    command = "x"
    <BLANKLINE>
    """
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return Failure("is not TOML")
    known = before.get(path[0], {})
    if not isinstance(known, dict):
        return Failure(BY_HAND)
    own = known.get(path[1], {})
    if not isinstance(own, dict):
        return Failure(BY_HAND)
    # What the user set beside ours stays, and so do tables below.
    value = {**{name: each for name, each in own.items() if not isinstance(each, dict)}, **value}
    if {name: own.get(name) for name in value} == value and own:
        return Success(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [
        f"[{path[0]}.{path[1]}]",
        *(f"{name} = {_written(each)}" for name, each in value.items()),
    ]
    block = newline.join(lines) + newline
    changed = _replaced(text, path, block) if path[1] in known else _appended(text, block, newline)
    return _checked(changed, before, path, value)


def _checked(changed: str, before: Json, path: tuple[str, str], value: Json) -> Result[str, str]:
    try:
        after = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        return Failure(BY_HAND)
    below = {
        name: each
        for name, each in before.get(path[0], {}).get(path[1], {}).items()
        if isinstance(each, dict)
    }
    wanted = {**before, path[0]: {**before.get(path[0], {}), path[1]: {**value, **below}}}
    return Success(changed) if after == wanted else Failure(BY_HAND)


def _appended(text: str, block: str, newline: str) -> str:
    lead = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{lead}{block}"


def _replaced(text: str, path: tuple[str, str], block: str) -> str:
    head = rf"\[\s*{re.escape(path[0])}\s*\.\s*[\"']?{re.escape(path[1])}[\"']?\s*\]"
    pattern = re.compile(
        rf"^[ \t]*{head}[^\n]*\n(?:(?![ \t]*\[|[ \t]*#|[ \t]*$).*\n?)*", re.MULTILINE
    )
    return pattern.sub(lambda _: block, text, count=1)


def _written(value: object) -> str:
    # A TOML string, list or number of ours is written as JSON has it.
    return json.dumps(value, ensure_ascii=False)
