"""Markdown drawn by rich, with headings at the left, in a worker that can be killed.

rich takes ten times as long as the parser, and what it draws of a table grows with its columns and
its rows. So pages are drawn where time, memory and output are bounded.
"""

import io
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token
from returns.result import Failure, Result, Success
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.text import Text
from rich.theme import Theme

from webseam.adapters.pages.page_forms import parse_bounded
from webseam.ports.errors import ParseFailed, WebError
from webseam.ports.pages import ReadPage

from .terminal_look import DrawnLook

_STYLE_ESCAPE_PATTERN: Final = re.compile(r"\x1b\[[0-9;]*m")
# A link of six characters has an escape of sixty around it.
_MAX_GROWTH: Final = 32
_SPARE_CHARS: Final = 65_536
# The languages whose code is coloured. A worker cannot import the others: it is confined.
_LANGUAGES: Final = frozenset({
    "bash", "c", "console", "cpp", "css", "diff", "go", "html", "ini", "java", "javascript", "js",
    "json", "php", "py", "python", "rb", "ruby", "rust", "sh", "shell", "sql", "text", "toml", "ts",
    "typescript", "xml", "yaml",
})  # fmt: skip
# Everything that rich imports late: the widths of wide letters, tables, links, code.
_SAMPLE: Final = (
    "# \u6f6e *a* \U0001f30a\n\n- [a](https://a.example/)\n\n> a\n\n---\n\n|a|\n|-|\n|b|\n\n"
)


def draw_body(body: bytes, _content_type: str, look: str) -> Result[ReadPage, WebError]:
    """Draw the markdown of a job; ``look`` is a ``DrawnLook`` as JSON."""
    if not look:
        # The fork server converts an example page before its first fork.
        code = "".join(f"```{language}\na\n```\n\n" for language in sorted(_LANGUAGES))
        drawn = draw_markdown(f"{_SAMPLE}{code}", DrawnLook(styles=True, links=True))
    else:
        text = body.decode("utf-8", "replace")
        drawn = draw_markdown(text, msgspec.json.decode(look, type=DrawnLook))
    return drawn.map(lambda lines: ReadPage(title="", content=lines))


def draw_markdown(text: str, look: DrawnLook) -> Result[str, WebError]:
    """Return markdown drawn for the width, without two empty lines in a row."""
    parser = MarkdownIt().enable("strikethrough").enable("table")
    tokens = parse_bounded(parser, text)
    if isinstance(tokens, Failure):
        return tokens
    written = io.StringIO()
    _rich_console(written, look).print(_Page(tokens.unwrap(), hyperlinks=look.links))
    drawn = "\n".join(_without_blanks(written.getvalue().splitlines()))
    if len(drawn) > max_drawn_chars(text):
        detail = "what is drawn is too long for its text"
        return Failure(ParseFailed(reason="too_complex", detail=detail))
    return Success(drawn)


def max_drawn_chars(text: str) -> int:
    """Return how long drawn markdown may be."""
    return _MAX_GROWTH * len(text) + _SPARE_CHARS


def _without_blanks(lines: Sequence[str]) -> Iterator[str]:
    is_blank_due = has_text = False
    for line in lines:
        bare = line.rstrip()
        # rich styles the blank lines of a table.
        if not _STYLE_ESCAPE_PATTERN.sub("", bare).strip():
            is_blank_due = has_text
            continue
        if is_blank_due:
            yield ""
        yield bare
        is_blank_due, has_text = False, True


class _LeftHeading(Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        self.text.justify = "left"
        yield Text("")
        yield self.text


class _KnownCode(CodeBlock):
    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> CodeBlock:
        language = token.info.partition(" ")[0].lower()
        return cls(language if language in _LANGUAGES else "text", markdown.code_theme)


class _Page(Markdown):
    """A page's markdown, parsed before."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _KnownCode,
        "code_block": _KnownCode,
    }

    def __init__(self, tokens: list[Token], *, hyperlinks: bool) -> None:
        super().__init__("", hyperlinks=hyperlinks, code_theme="ansi_dark")
        self.parsed = tokens


def _rich_console(written: io.StringIO, look: DrawnLook) -> Console:
    styles = {f"h{level}": "bold" for level in range(1, 8)}
    styles |= {"code": "cyan", "code_block": "cyan", "link": "underline"}
    styles |= {"link_url": "dim underline", "block_quote": "dim", "hr": "dim"}
    styles |= {"item.bullet": "dim", "item.number": "dim"}
    theme = Theme({f"markdown.{name}": style for name, style in styles.items()})
    return Console(
        file=written,
        force_terminal=look.styles,
        color_system="standard" if look.styles else None,
        no_color=not look.colours,
        width=look.width,
        theme=theme,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
