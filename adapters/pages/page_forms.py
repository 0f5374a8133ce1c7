"""Conversions of a markdown page: to HTML, to plain text, to its links and pictures. Pure.

Pages are untrusted, and their markdown is long: ``adapters/transforms`` runs these in workers.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag, urljoin, urlsplit

from returns.result import Failure, Result, Success

from webseam.ports.errors import ParseFailed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token


_LIST_TOKENS: Final = frozenset({"bullet_list", "ordered_list"})


class _PlainTextWriter:
    """Writes tokens as plain text, and tracks the position in lists and tables."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._depth = 0
        self._item_mark = ""
        self._is_tight = False
        self._cells: list[str] = []
        self._in_row = False
        self._last_kind = ""

    def write_token(self, token: Token) -> None:
        """Write one token."""
        name, _, edge = token.type.rpartition("_")
        if name in _LIST_TOKENS:
            self._depth += 1 if edge == "open" else -1
        elif name == "paragraph":
            self._is_tight = token.hidden
        elif token.type == "list_item_open":
            self._item_mark = f"{token.info}. " if token.info else "- "
        elif name == "tr" or token.type == "table_open":
            self._change_table_row(token.type)
        elif token.content:
            self._write_content(token)

    def _change_table_row(self, kind: str) -> None:
        """Start or end a row; a table does not continue the table before it."""
        if kind == "tr_close":
            self._append_text_block("\t".join(self._cells), "row")
        self._cells, self._in_row = [], kind == "tr_open"
        self._last_kind = "" if kind == "table_open" else self._last_kind

    def _write_content(self, token: Token) -> None:
        if token.type != "inline":
            self._append_text_block(token.content.rstrip("\n"), "code")
        elif self._in_row:
            self._cells.append(" ".join(_inline_text(token).split()))
        else:
            kind = "item" if self._depth and self._is_tight else ""
            self._append_text_block(_inline_text(token), kind)

    def _append_text_block(self, text: str, kind: str) -> None:
        gap = "\n" if kind and kind == self._last_kind != "code" else "\n\n"
        mark, self._item_mark = self._item_mark, ""
        item_indent = "  " * (self._depth - 1)
        indent = f"{item_indent}{' ' * len(mark) or '  '}" if self._depth else ""
        lines = text.replace("\n", f"\n{indent}")
        first = f"{item_indent}{mark}" if mark else indent
        self.pieces.append(f"{gap if self.pieces else ''}{first}{lines}")
        self._last_kind = kind


def _inline_text(token: Token) -> str:
    """Return the text of an inline token, with the alternative text of images."""
    children = token.children or ()
    texts = (child.content or "\n" * child.type.endswith("break") for child in children)
    return "".join(texts).strip()


_LINK_PATTERN = re.compile(
    r"(?<!!)\[((?:[^\[\]]|!\[[^\[\]]*+\]\([^()]*+\))*+)\]"
    r"\(<?([^\s()<>]++(?:\([^\s()<>]*+\)[^\s()<>]*+)*+)>?(?:\s++\"[^\"]*+\")?\)"
)
_BARE_URL_PATTERN = re.compile(r"<(https?://[^\s<>]+)>")
_NESTED_REPEAT_PATTERN = re.compile(r"[+*?}]\)|\)[+*?{]")
# Text between single dollars counts if it has a TeX character and no blank at its ends.
_FORMULA_PATTERN = re.compile(
    r"\$\$[^$\n]{1,2000}\$\$|\$(?=[^\s$])(?=[^$\n]{0,500}[\\^_{}])[^$\n]{1,500}(?<=\S)\$(?![\w$])"
    r"|\\\((?:[^\\\n]|\\(?![()])){1,500}+\\\)"
)
# A label has brackets of one level at most, as footnotes have: [[1]](https://a.example/).
_LINK_START_PATTERN = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*+\])*+\]\(")
_IMAGE_PATTERN = re.compile(r"!\[[^\[\]]*+\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)")
_NAMED_IMAGE_PATTERN = re.compile(r"!\[([^\[\]]*+)\]\(([^()\s]++)")
_MAX_MARKDOWN_DEPTH = 100
# The densest honest markdown, a table of one letter a cell, has three tokens a character.
_MAX_TOKENS_PER_CHAR = 8
_MIN_MAX_TOKENS = 1024
_MAX_PATTERN_CHARS = 200
_MAX_PATTERN_REPEATS = 2


def markdown_to_html(markdown: str) -> Result[str, ParseFailed]:
    """Return markdown as HTML; tags in it become text, and only web links become links."""
    tokens = parse_bounded(parser := _markdown_parser(), markdown)
    return tokens.map(lambda it: str(parser.renderer.render(it, parser.options, {})))


def markdown_to_text(markdown: str) -> Result[str, ParseFailed]:
    r"""Return markdown without markup; list items keep their marks, tabs separate table cells.

    >>> markdown_to_text("# Tides\n\n- *low*\n- [high](https://a.example/)").unwrap()
    'Tides\n\n- low\n- high'
    """
    return parse_bounded(_markdown_parser(), markdown).map(_plain_text)


def _plain_text(tokens: list[Token]) -> str:
    writer = _PlainTextWriter()
    for token in tokens:
        writer.write_token(token)
    return "".join(writer.pieces)


class _TooManyTokensError(Exception):
    """The markdown has more tokens than its length allows."""


class _BoundedTokens(list["Token"]):
    """Tokens, up to a number; one more ends the parser."""

    def __init__(self, max_tokens: int) -> None:
        super().__init__()
        self._max_tokens = max_tokens

    def append(self, token: Token) -> None:
        if len(self) >= self._max_tokens:
            raise _TooManyTokensError
        super().append(token)


# A table is the one construct of markdown that grows by itself: the parser adds the cells that a
# row lacks (GFM, 4.10), so a head of n columns over n empty rows is n * n cells. Its own limit of
# 65,536 cells counts for each table alone, and a page of 62 kB has forty: 5.7 GB, seen 2026-11-18.
# So tokens are counted while they are made. An exception is the only way out of the parser's loops.
def parse_bounded(parser: MarkdownIt, markdown: str) -> Result[list[Token], ParseFailed]:
    """Return the tokens of markdown; a failure if they are too many for its length."""
    max_tokens = max(_MAX_TOKENS_PER_CHAR * len(markdown), _MIN_MAX_TOKENS)

    def bound_tokens(state: StateCore) -> None:
        state.tokens = _BoundedTokens(max_tokens)

    parser.core.ruler.before("block", "bound_tokens", bound_tokens)
    try:
        return Success(parser.parse(markdown))
    except _TooManyTokensError:
        return Failure(ParseFailed(reason="too_complex", detail="its tables have too many cells"))


def _markdown_parser() -> MarkdownIt:
    """Return a markdown parser without link references, which footnotes would match."""
    from markdown_it import MarkdownIt  # rich brings it; few ask for other forms
    from markdown_it.rules_inline import image, link  # as above

    options = {"html": False, "maxNesting": _MAX_MARKDOWN_DEPTH}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "formula", _push_formula)
    # The parser reads the label of every bracket to its end; most have none.
    parser.inline.ruler.at("link", lambda *call: _is_link_start(call[0]) and link(*call))
    parser.inline.ruler.at("image", lambda *call: _is_link_start(call[0]) and image(*call))
    return parser.disable("reference")


def _is_link_start(state: StateInline) -> bool:
    return _LINK_START_PATTERN.match(state.src, state.pos, state.posMax) is not None


def _push_formula(state: StateInline, /, *silent: bool) -> bool:
    """Push a formula as text: its stars and backslashes are not markup."""
    match = _FORMULA_PATTERN.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not any(silent):
        state.push("text", "", 0).content = match[0]
    state.pos = match.end()
    return True


def named_links(markdown: str, base: str) -> Iterator[tuple[str, str]]:
    """Yield the texts and targets of the web links of a page at ``base``, without fragments."""
    joined: dict[str, str | None] = {}
    for label, target in _written_links(markdown):
        if target not in joined:
            joined[target] = _join_link(base, target)
        if (link := joined[target]) is not None:
            yield label, link


def _written_links(markdown: str) -> Iterator[tuple[str, str]]:
    for match in _LINK_PATTERN.finditer(markdown):
        yield match[1], match[2]
    for match in _BARE_URL_PATTERN.finditer(markdown):
        yield match[1], match[1]


def named_images(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the alternative texts and addresses of the pictures of a page."""
    for match in _NAMED_IMAGE_PATTERN.finditer(markdown):
        yield match[1], match[2]


def without_images(markdown: str) -> str:
    """Return markdown without its pictures."""
    return _IMAGE_PATTERN.sub("", markdown)


def _join_link(base: str, target: str) -> str | None:
    try:
        link = urldefrag(urljoin(base, target)).url
        parts = urlsplit(link)
    except ValueError:
        return None
    return link if parts.scheme in ("http", "https") and parts.hostname else None


def unusable_pattern(patterns: tuple[str, ...]) -> str | None:
    """Return the first pattern that is too complex, or None.

    Callers' patterns run here, and some take Python's engine exponential time: only patterns with
    few and unnested repeats are accepted.

    >>> unusable_pattern(("/docs/.*", "/a$")), unusable_pattern(("(a+)+$",))
    (None, '(a+)+$')
    """
    return next((pattern for pattern in patterns if _is_complex_pattern(pattern)), None)


def _is_complex_pattern(pattern: str) -> bool:
    repeats = sum(pattern.count(sign) for sign in "*+{")
    is_large = len(pattern) > _MAX_PATTERN_CHARS or repeats > _MAX_PATTERN_REPEATS
    if is_large or _NESTED_REPEAT_PATTERN.search(pattern):
        return True
    try:
        re.compile(pattern)
    except re.error:
        return True
    return False
