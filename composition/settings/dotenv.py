r"""Files of variables, ``.env``: ``NAME=value`` on a line each, and nothing is ever filled in.

A blank line and one that begins with ``#`` mean nothing; ``export`` before the name is skipped.
``'...'`` is taken as it stands, ``"..."`` knows ``\n \r \t \" \\ \$``, and both may go over
several lines. Without quotes a value ends at the line's end or at a blank before a ``#``.
"""

import re
from collections.abc import Mapping

import msgspec

_NAME = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*")
_SINGLE = re.compile(r"'([^']*)'")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE = re.compile(r"(?:[^\n#]|(?<![ \t])#)*")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_SKIPPED = re.compile(r"[ \t]*(?:#[^\n]*)?\n|[ \t]*(?:#[^\n]*)?\Z")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "$": "$"}


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """A value and the line it stands on. The value does not show: it may be a key."""

    value: str
    line: int

    def __repr__(self) -> str:
        return f"Variable(line={self.line})"


class DotenvVariables(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds, and the lines that could not be read."""

    found: Mapping[str, Variable]
    unread: tuple[int, ...] = ()


def read_dotenv(text: str) -> DotenvVariables:
    r"""Read a file of variables; of a name that is there twice, the last one counts.

    >>> read_dotenv("export A='x y' # one\nB = 2 # two").found["A"].value
    'x y'
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    found: dict[str, Variable] = {}
    unread: list[int] = []
    at, line = 0, 1
    while at < len(text):
        end, variable = _read_line(text, at)
        if variable is not None:
            found[variable[0]] = Variable(value=variable[1], line=line)
        elif _SKIPPED.match(text, at) is None:
            unread.append(line)
        line += text.count("\n", at, end)
        at = end
    return DotenvVariables(found=found, unread=tuple(unread))


def _read_line(text: str, at: int) -> tuple[int, tuple[str, str] | None]:
    """Return where the next line begins, and the name and value that this one gives."""
    name = _NAME.match(text, at)
    if name is not None:
        value = _value(text, name.end())
        rest = None if value is None else _REST.match(text, value[0])
        if value is not None and rest is not None:
            return rest.end(), (name[1], value[1])
    newline = text.find("\n", at)
    return (len(text) if newline < 0 else newline + 1), None


def _value(text: str, at: int) -> tuple[int, str] | None:
    """Return where a value ends, and what it is; None when its quotes do not close."""
    quote = text[at : at + 1]
    if quote == "'":
        single = _SINGLE.match(text, at)
        return None if single is None else (single.end(), single[1])
    if quote == '"':
        double = _DOUBLE.match(text, at)
        return None if double is None else (double.end(), _unescaped(double[1]))
    bare = _BARE.match(text, at)
    return None if bare is None else (bare.end(), bare[0].strip())


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text, flags=re.DOTALL)
