"""A page in other forms than markdown: HTML, plain text, its links. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag, urljoin, urlsplit

from ..ports.web import WebExtractResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token


_LISTS: Final = frozenset({"bullet_list", "ordered_list"})


def plain_lines(tokens: Iterable[Token]) -> str:
    """Return what the tokens of a page say."""
    writer = _Writer()
    for token in tokens:
        writer.take(token)
    return "".join(writer.done)


class _Writer:
    """What is written so far, and where in lists and tables it stands."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self._depth = 0
        self._mark = ""
        self._tight = False
        self._cells: list[str] = []
        self._in_row = False
        self._last = ""

    def take(self, token: Token) -> None:
        """Go on with one token."""
        name, _, edge = token.type.rpartition("_")
        if name in _LISTS:
            self._depth += 1 if edge == "open" else -1
        elif name == "paragraph":
            self._tight = token.hidden
        elif token.type == "list_item_open":
            self._mark = f"{token.info}. " if token.info else "- "
        elif name == "tr" or token.type == "table_open":
            self._turn(token.type)
        elif token.content:
            self._say(token)

    def _turn(self, kind: str) -> None:
        """Begin or end a row; one table does not go on with another."""
        if kind == "tr_close":
            self._put("\t".join(self._cells), "row")
        self._cells, self._in_row = [], kind == "tr_open"
        self._last = "" if kind == "table_open" else self._last

    def _say(self, token: Token) -> None:
        if token.type != "inline":
            self._put(token.content.rstrip("\n"), "code")
        elif self._in_row:
            self._cells.append(" ".join(_words(token).split()))
        else:
            self._put(_words(token), "item" if self._depth and self._tight else "")

    def _put(self, text: str, kind: str) -> None:
        gap = "\n" if kind and kind == self._last != "code" else "\n\n"
        mark, self._mark = self._mark, ""
        blanks = "  " * (self._depth - 1)
        rest = f"{blanks}{' ' * len(mark) or '  '}" if self._depth else ""
        lines = text.replace("\n", f"\n{rest}")
        first = f"{blanks}{mark}" if mark else rest
        self.done.append(f"{gap if self.done else ''}{first}{lines}")
        self._last = kind


def _words(token: Token) -> str:
    """Return the words of a line; a picture is told by its own."""
    inside = token.children or ()
    return "".join(child.content or "\n" * child.type.endswith("break") for child in inside).strip()


# A page in other forms than markdown: HTML, plain text, its links. Pure.

_LINK = re.compile(
    r"(?<!!)\[([^\]]*)\]\(<?([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+\"[^\"]*\")?\)"
)
_BARE = re.compile(r"<(https?://[^\s<>]+)>")
_NESTED = re.compile(r"[+*?}]\)|\)[+*?{]")
# Between single dollars what has a sign of TeX in it, and no blank at its ends.
_FORMULA = re.compile(
    r"\$\$[^$\n]{1,2000}\$\$|\$(?=[^\s$])(?=[^$\n]{0,500}[\\^_{}])[^$\n]{1,500}(?<=\S)\$(?![\w$])"
    r"|\\\([^\n]{1,500}?\\\)"
)
_MAX_MARKDOWN_DEPTH = 100
_MAX_PATTERN_CHARS = 200
_MAX_PATTERN_REPEATS = 2


def markdown_to_html(markdown: str) -> str:
    """Return markdown as HTML; tags in it are text, and only links to the web are links."""
    return str(_parser().render(markdown))


def markdown_to_text(markdown: str) -> str:
    r"""Return markdown without its marks; items keep theirs, and tabs part the cells of a row.

    >>> markdown_to_text("# Tides\n\n- *low*\n- [high](https://a.example/)\n\n| a |\n| --- |")
    'Tides\n\n- low\n- high\n\na'
    """
    return plain_lines(_parser().parse(markdown))


def _parser() -> MarkdownIt:
    """Return what reads our markdown: a footnote of one word is no reference, and lists go deep."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  rich brings it; few ask for other forms

    options = {"html": False, "maxNesting": _MAX_MARKDOWN_DEPTH}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "formula", _formula)
    return parser.disable("reference")


def _formula(state: StateInline, /, *silent: bool) -> bool:
    """Take a formula as it is: its stars and backslashes mark nothing."""
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not any(silent):
        state.push("text", "", 0).content = found[0]
    state.pos = found.end()
    return True


def page_links(page: WebExtractResult) -> list[str]:
    """Return where a page leads to, in order and once each, without fragments."""
    return list(dict.fromkeys(link for _, link in named_links(page)))


def named_links(page: WebExtractResult) -> list[tuple[str, str]]:
    """Return the links of a page with the words that they stand on."""
    places = [(match[1], match[2]) for match in _LINK.finditer(page.content)]
    places += [(match[1], match[1]) for match in _BARE.finditer(page.content)]
    joined = [(words, _joined(page.final_url, place)) for words, place in places]
    return [(words, link) for words, link in joined if link is not None]


def _joined(base: str, place: str) -> str | None:
    try:
        link = urldefrag(urljoin(base, place)).url
        parts = urlsplit(link)
    except ValueError:
        return None
    return link if parts.scheme in ("http", "https") and parts.hostname else None


def unusable_pattern(patterns: tuple[str, ...]) -> str | None:
    """Return a pattern that is no simple one, None when all are.

    Patterns of callers run here, and Python's engine can be kept busy for ever by some: only those
    with few repeats, and none around others, are taken.

    >>> unusable_pattern(("/docs/.*", "/a$")), unusable_pattern(("(a+)+$",))
    (None, '(a+)+$')
    """
    return next((each for each in patterns if _is_wild(each)), None)


def _is_wild(pattern: str) -> bool:
    repeats = sum(pattern.count(sign) for sign in "*+{")
    if (
        len(pattern) > _MAX_PATTERN_CHARS
        or _NESTED.search(pattern)
        or repeats > _MAX_PATTERN_REPEATS
    ):
        return True
    try:
        re.compile(pattern)
    except re.error:
        return True
    return False
