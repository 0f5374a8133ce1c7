"""What came of many pages: how many, where they are, what failed, how to go on."""

from collections.abc import Iterator, Sequence

from ....kernel.text.display import one_line
from ....ports.errors import UrlDenied
from ..harvest import Harvest
from ..output_files import FAILED_URLS_FILE
from .drawing.styled_lines import NextStep, Span, hanging_lines, shell_quoted, step_lines
from .drawing.terminal_look import TerminalLook
from .result_lines import duration_text, plain_address

_EXAMPLES = 2
_MAX_SHOWN_CHARS = 200


def summary_lines(
    harvest: Harvest, retry_command: Sequence[str], seconds: float, look: TerminalLook
) -> Iterator[str]:
    """Yield the summary of work that was written to a file or a folder."""
    symbols = look.symbols
    count = len(harvest.urls) - len(harvest.kept_before)
    if not count:
        there = f"All {len(harvest.urls):,} pages are there; --force reads them again."
        yield from hanging_lines(
            [Span(f"{symbols.good} ", "good"), Span(there, "title")], look, hang=2
        )
        return
    target = "" if harvest.destination is None else str(harvest.destination.path)
    pages = "page" if count == 1 else "pages"
    spans = [
        Span(
            f"{symbols.good if harvest.read else symbols.bad} ", "good" if harvest.read else "bad"
        ),
        Span(f"{harvest.read:,} of {count:,} {pages} read", "title"),
        Span(f" {symbols.to} {one_line(target, 4096)}" if target else ""),
        Span(f"   {_facts(harvest, seconds)}", "quiet"),
    ]
    yield from hanging_lines(spans, look, hang=2)
    yield from failure_lines(harvest, look)
    offers = [*filter(None, [resume_command(harvest, retry_command, "Again")]), *_why(harvest)]
    if offers:
        yield ""
        yield from step_lines(offers, look)


def _why(harvest: Harvest) -> Iterator[NextStep]:
    """Offer to say why the policy refused the first page that it refused."""
    for url, error in harvest.errors.items():
        if isinstance(error, UrlDenied):
            yield NextStep("Why", f"webseam policy check {shell_quoted(url)}")
            return


def stopped_lines(
    harvest: Harvest, retry_command: Sequence[str], look: TerminalLook
) -> Iterator[str]:
    """Yield what was kept of work that somebody stopped, and how to go on."""
    fate = "what was read is kept"
    if harvest.destination is None or not harvest.destination.folder:
        fate = "what was read stays in the cache for a while"
    yield from hanging_lines(
        [Span(f"{look.symbols.care} ", "care"), Span(f"Stopped; {fate}.", "title")], look, hang=2
    )
    counts = [
        f"{harvest.read:,} read",
        f"{len(harvest.kept_before):,} there before" if harvest.kept_before else "",
        f"{len(harvest.errors):,} failed" if harvest.errors else "",
        f"{len(harvest.wanted):,} not reached",
    ]
    yield from hanging_lines(
        [Span(look.symbols.dot.join(filter(None, counts)), "quiet")], look, indent=2
    )
    offer = resume_command(harvest, retry_command, "Go on")
    if offer is not None:
        yield ""
        yield from step_lines([offer], look)


def truncate(text: str) -> str:
    """Return a text that leaves room for others on a screen."""
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[: _MAX_SHOWN_CHARS - 1]}…"


def failure_lines(harvest: Harvest, look: TerminalLook) -> Iterator[str]:
    """Yield the failures by kind, most first, two examples and a count."""
    kinds = harvest.kinds()
    if not kinds:
        return
    failed = f"{len(harvest.errors):,} failed"
    yield from hanging_lines([Span(f"{look.symbols.bad} ", "bad"), Span(failed, "title")], look)
    widest = max(len(kind) for kind, _ in kinds)
    for kind, urls in kinds:
        examples = ", ".join(truncate(plain_address(url)) for url in urls[:_EXAMPLES])
        more = f" and {len(urls) - _EXAMPLES:,} more" if len(urls) > _EXAMPLES else ""
        spans = [Span(f"{len(urls):4,}  {kind:<{widest}}  "), Span(examples + more, "quiet")]
        yield from hanging_lines(spans, look, hang=8 + widest)


def resume_command(harvest: Harvest, retry_command: Sequence[str], label: str) -> NextStep | None:
    """Return the command that reads what is missing; None where nothing may come of it."""
    destination = harvest.destination
    if not retry_command:
        return None
    if len(retry_command) == 1:
        return NextStep(
            label, f"webseam extract {shell_quoted(retry_command[0])} {harvest.options}".rstrip()
        )
    command = f"webseam extract - {harvest.options}".rstrip()
    if destination is None or not destination.folder:
        return NextStep(label, command, "with the same URLs again")
    file = shell_quoted(str(destination.path / FAILED_URLS_FILE))
    return NextStep(label, f"{command} < {file}", f"the {len(retry_command):,} that may work")


def _facts(harvest: Harvest, seconds: float) -> str:
    rate = f", {harvest.read / seconds:.1f} a second" if harvest.read > 1 and seconds else ""
    before = f", {len(harvest.kept_before):,} there before" if harvest.kept_before else ""
    return f"{duration_text(seconds)}{rate}{before}"
