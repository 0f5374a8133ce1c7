r"""Files of variables, ``.env``, by python-dotenv's rules; nothing is ever filled in.

Only its parser is used: ``dotenv_values`` would put values of the process's environment in the
place of ``${NAME}``, and ``load_dotenv`` would change that environment. It is loaded when there is
a file to read.
"""

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result, Success

if TYPE_CHECKING:
    from dotenv.parser import Binding

MAX_LINES = 4_000
MAX_FILE_CHARS = 128 * 1024
# The parser looks for a comment at every blank of a run, so a long run takes its length squared.
_RUN = re.compile(r"[^\S\r\n]{65}")
_BREAK = re.compile(r"\r\n|\n|\r")
_LEAD = re.compile(r"\s*")


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """A value and the line it stands on. The value does not show: it may be a key."""

    value: str
    line: int

    def __repr__(self) -> str:
        return f"Variable(line={self.line})"


class DotenvVariables(msgspec.Struct, frozen=True, kw_only=True):
    """The variables of a file by name, and the lines that could not be read."""

    variables: Mapping[str, Variable]
    unread: tuple[int, ...] = ()


def read_dotenv(text: str) -> Result[DotenvVariables, str]:
    r"""Read a file of variables, or say why it is none; of a name twice, the last one counts.

    >>> read_dotenv("export A='x y' # one\nB = 2 # two").unwrap().variables["A"].value
    'x y'
    """
    reason = _too_long(text)
    return Success(_parsed(text)) if reason is None else Failure(reason)


def _too_long(text: str) -> str | None:
    if len(text) > MAX_FILE_CHARS:
        return f"has {len(text):,} characters; at most {MAX_FILE_CHARS:,} are read"
    if (count := len(_BREAK.findall(text))) > MAX_LINES:
        return f"has {count:,} lines; at most {MAX_LINES:,} are read"
    run = _RUN.search(text)
    return (
        None
        if run is None
        else f"has more than 64 blanks in a row on line {_line(text, run.start())}"
    )


def _parsed(text: str) -> DotenvVariables:
    from dotenv.parser import parse_stream  # noqa: PLC0415  loaded when there is a file

    variables: dict[str, Variable] = {}
    unread: list[int] = []
    for binding in parse_stream(io.StringIO(text, newline="")):
        line = _line_of(binding)
        if binding.key is not None and binding.value is not None:
            variables[binding.key] = Variable(value=binding.value, line=line)
        elif binding.error or binding.key is not None:
            unread.append(line)
    return DotenvVariables(variables=variables, unread=tuple(unread))


def _line_of(binding: "Binding") -> int:
    """Return the line of a name; the parser counts from the blank lines before it."""
    whole = binding.original.string
    lead = _LEAD.match(whole)
    return binding.original.line + _line(whole, lead.end() if lead else 0) - 1


def _line(text: str, at: int) -> int:
    return len(_BREAK.findall(text, 0, at)) + 1
