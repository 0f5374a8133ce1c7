"""A page, which is markdown, rendered for a person by rich; long ones through the pager."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator

import msgspec
from returns.result import Failure, Result

from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import share_workers
from webseam.kernel.text.display import encode_address, one_line, strip_hidden
from webseam.ports.errors import WebError
from webseam.ports.web import WebExtractResult

from .output import print_warnings
from .shown_values import cached_words, duration_text, shown_address, shown_date
from .styled_lines import NextStep, Span, fact_footer, hanging_lines, step_lines
from .terminal_look import ASCII_SYMBOLS, DrawnLook, TerminalLook

_INDENT = 2
_LOCAL_BACKEND = "pages"
# ASCII for the symbols that rich draws lists, quotes, rules and tables with.
_ASCII_TABLE = str.maketrans("•▌─━═", "*|-==")
# rich draws these in some milliseconds.
_MAX_TINY_CHARS = 400
# -F: end at once where all fits, -R: pass styles on, -X: leave the text on the screen.
_DEFAULT_PAGER = "less -FRX"
_MAX_COMMENT_DEPTH = 8
_MAX_LINE_CHARS = 4_000
_DRAWING_LIMITS = WorkerLimits(cpu_seconds=15.0, wall_seconds=60.0)
_DRAWER = "webseam.composition.terminal.rich_markdown:draw_body"


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
    if receipt.handle is not None and receipt.next_cursor is not None:
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


_drawers = share_workers(_DRAWER, _DRAWING_LIMITS)


def warm_drawing() -> None:
    """Start what draws pages in the background."""
    _drawers.warm()


def markdown_lines(text: str, look: TerminalLook) -> Iterator[str]:
    """Yield markdown drawn for the width, indented; as it is, with a warning, if that fails."""
    drawn = _drawn_markdown(text, look)
    if isinstance(drawn, Failure):
        print_warnings([f"{drawn.failure().message} It is shown as markdown."])
    for line in drawn.value_or(text).splitlines():
        shown = line.translate(_ASCII_TABLE) if look.symbols == ASCII_SYMBOLS else line
        yield f"{' ' * _INDENT}{shown}" if shown else ""


def _drawn_markdown(text: str, look: TerminalLook) -> Result[str, WebError]:
    drawn_look = DrawnLook(
        width=max(20, look.prose - _INDENT),
        styles=look.styles,
        colours=look.colours,
        links=look.links,
    )
    if len(text) <= _MAX_TINY_CHARS:
        from .rich_markdown import draw_markdown  # noqa: PLC0415  140 ms of rich, only for a page at a terminal

        return draw_markdown(text, drawn_look)
    encoded = msgspec.json.encode(drawn_look).decode()
    page = _drawers.convert_blocking(text.encode("utf-8", "replace"), "", encoded)
    return page.map(lambda it: it.content)


def print_paged_lines(lines: Iterator[str], look: TerminalLook) -> None:
    """Print lines, through ``$PAGER`` if they exceed the screen of a person."""
    text = "\n".join(lines)
    command = os.environ.get("PAGER", _DEFAULT_PAGER).strip()
    is_paged = look.person and sys.stdin.isatty() and command not in ("", "cat")
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
