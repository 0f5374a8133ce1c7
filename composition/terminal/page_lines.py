"""A page, which is markdown, rendered for a person by rich; long ones through the pager."""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from webseam.kernel.text.display import encode_address, one_line, strip_hidden
from webseam.ports.web import WebExtractResult

from .result_lines import cached_words, duration_text, shown_address, shown_date
from .styled_lines import NextStep, Span, fact_footer, hanging_lines, step_lines
from .terminal_look import ASCII_SYMBOLS, TerminalLook

if TYPE_CHECKING:
    from rich.console import Console

_INDENT = 2
_LOCAL_BACKEND = "pages"
# ASCII for the symbols that rich draws lists, quotes, rules and tables with.
_ASCII_TABLE = str.maketrans("•▌─━═", "*|-==")
_STYLE_ESCAPE_PATTERN = re.compile(r"\x1b\[[0-9;]*m")
# -F: end at once where all fits, -R: pass styles on, -X: leave the text on the screen.
_DEFAULT_PAGER = "less -FRX"
_MAX_COMMENT_DEPTH = 8
_MAX_LINE_CHARS = 4_000


def page_screen_lines(
    page: WebExtractResult, look: TerminalLook, seconds: float | None = None
) -> Iterator[str]:
    """Yield title and facts, the content, the receipt and how to go on.

    Page text is indented and webseam's is not, so that a page cannot forge a receipt.
    """
    if title := one_line(page.title):
        yield from hanging_lines([Span(title, "title", page.final_url)], look)
    yield from fact_footer(_page_screen_facts(page), look)
    yield ""
    yield from markdown_lines(_drop_title_heading(strip_hidden(page.content), title), look)
    # Show what readers wrote under a page, replies further in.
    comments = page.metadata.get("comments")
    for comment in comments if isinstance(comments, list) else ():
        indent = _INDENT * (2 + min(int(comment.get("depth", 0)), _MAX_COMMENT_DEPTH))
        day = shown_date(comment.get("published_at") or "")
        byline = ", ".join(filter(None, [one_line(comment.get("author") or "", 60), day]))
        yield ""
        yield from hanging_lines([Span(byline or "A reader", "quiet")], look, indent=indent)
        for line in strip_hidden(comment["text"]).split("\n\n"):
            text = Span(one_line(line, _MAX_LINE_CHARS))
            yield from hanging_lines([text], look, indent=indent)
    yield ""
    yield from fact_footer(_page_receipt_facts(page, seconds), look)
    receipt = page.receipt
    if receipt.handle is not None:
        part = max(0, receipt.characters - receipt.omitted)
        share = f"{100 * part // max(1, receipt.characters)} % shown"
        command = f"webseam more {receipt.handle}"
        yield from step_lines([NextStep("More", command, share)], look, indent=0)


def _page_screen_facts(page: WebExtractResult) -> list[str]:
    author = page.metadata.get("author")
    published = page.metadata.get("published_at")
    words = len(page.content.split())
    return [
        shown_address(page.url if page.final_url == page.url else encode_address(page.final_url)),
        one_line(author, 60) if isinstance(author, str) else "",
        shown_date(published) if isinstance(published, str) else "",
        f"{words:,} words" if words != 1 else "1 word",
    ]


def _page_receipt_facts(page: WebExtractResult, seconds: float | None) -> list[str]:
    receipt, looked = page.receipt, page.metadata.get("second_look")
    left_out = ", text left out" if page.metadata.get("agents_only") else ""
    return [
        "read on this machine" if receipt.backend == _LOCAL_BACKEND else receipt.backend,
        cached_words(receipt),
        "" if seconds is None else duration_text(seconds),
        "compressed" if receipt.compressed else "",
        f"second look: {looked}{left_out}" if looked else "",
        f"{receipt.omitted:,} characters not shown" if receipt.omitted else "",
    ]


def _drop_title_heading(content: str, title: str) -> str:
    first, _, rest = content.lstrip().partition("\n")
    return rest if title and first.strip() == f"# {title}" else content


def markdown_lines(text: str, look: TerminalLook) -> Iterator[str]:
    """Yield markdown drawn for the width, indented, without two empty lines in a row."""
    from .rich_markdown import PageMarkdown  # noqa: PLC0415  140 ms of rich, only for a page at a terminal

    written = io.StringIO()
    _rich_console(written, look).print(
        PageMarkdown(text, hyperlinks=look.links, code_theme="ansi_dark")
    )
    is_blank_due = has_text = False
    for line in written.getvalue().splitlines():
        bare = line.rstrip()
        # rich styles the blank lines of a table.
        if not _STYLE_ESCAPE_PATTERN.sub("", bare).strip():
            is_blank_due = has_text
            continue
        if is_blank_due:
            yield ""
        yield " " * _INDENT + (
            bare.translate(_ASCII_TABLE) if look.symbols == ASCII_SYMBOLS else bare
        )
        is_blank_due, has_text = False, True


def _rich_console(written: io.StringIO, look: TerminalLook) -> "Console":
    from rich.console import Console  # noqa: PLC0415
    from rich.theme import Theme  # noqa: PLC0415

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
        width=max(20, look.prose - _INDENT),
        theme=theme,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )


def print_paged_lines(lines: Iterator[str], look: TerminalLook, *, pager: bool = True) -> None:
    """Print lines, through ``$PAGER`` if they exceed the screen of a person."""
    text = "\n".join(lines)
    command = os.environ.get("PAGER", _DEFAULT_PAGER).strip()
    is_paged = pager and look.person and sys.stdin.isatty() and command not in ("", "cat")
    # One line of the screen is for the prompt.
    is_paged = is_paged and (text.count("\n") + 1 > os.get_terminal_size(sys.stdout.fileno()).lines)
    if not is_paged or not _run_pager(command, text):
        print(text)


def _run_pager(command: str, text: str) -> bool:
    """Run the user's pager; False where there is none, and the text must be printed."""
    sys.stdout.flush()
    environ = {"LESSCHARSET": "utf-8", **os.environ}
    try:
        ended = subprocess.run(  # noqa: S603  the user's own pager, by the user's own setting
            shlex.split(command), input=text + "\n", encoding="utf-8", env=environ, check=False
        )
    except (OSError, ValueError):
        return False
    return ended.returncode == 0
