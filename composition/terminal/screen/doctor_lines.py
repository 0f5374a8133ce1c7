"""What the doctor found: the verdict, the next command, a line for each part."""

from collections.abc import Iterator, Sequence

from ....kernel.text.display import one_line
from ...health.health_parts import HealthPart, HealthVerdict, Sandboxes, State
from ...health.probes import Diagnosis
from .drawing.styled_lines import NextStep, Span, cell_width, hanging_lines, step_lines
from .drawing.terminal_look import Meaning, Symbols, TerminalLook

_MEANINGS: dict[State, Meaning] = {"good": "good", "care": "care", "bad": "bad", "off": "quiet"}


def state_symbol(state: State, symbols: Symbols) -> str:
    """Return the symbol of a state."""
    return str(getattr(symbols, state))


def verdict_lines(verdict: HealthVerdict, look: TerminalLook) -> Iterator[str]:
    """Yield the sentence and what to type next."""
    state: State = "bad" if not verdict.healthy else "off" if verdict.idle else "good"
    mark = Span(f"{state_symbol(state, look.symbols)} ", _MEANINGS[state])
    yield from hanging_lines([mark, Span(one_line(verdict.sentence, 2000), "title")], look, hang=2)
    yield from step_lines([NextStep("Next", verdict.command, verdict.why)], look)


def part_lines(parts: Sequence[HealthPart], look: TerminalLook) -> Iterator[str]:
    """Yield a line for each part; its detail hangs under itself."""
    names = max(cell_width(part.name) for part in parts)
    words = max(cell_width(part.word) for part in parts)
    for part in parts:
        spans = [
            Span(f"{state_symbol(part.state, look.symbols)} ", _MEANINGS[part.state]),
            Span(f"{part.name:<{names}}  {part.word:<{words}}"),
            Span(f"  {one_line(part.detail, 2000)}" if part.detail else "", "quiet"),
        ]
        yield from hanging_lines(spans, look, indent=2, hang=names + words + 6)


def backend_lines(diagnoses: Sequence[Diagnosis], look: TerminalLook) -> Iterator[str]:
    """Yield a line for each backend: how it is set up, what it answered, what to do."""
    names = max(cell_width(one.name) for one in diagnoses)
    for one in diagnoses:
        state = _state(one)
        spans = [
            Span(f"{state_symbol(state, look.symbols)} ", _MEANINGS[state]),
            Span(f"{one.name:<{names}}  "),
            Span(_words(one), "plain" if state in ("bad", "care") else "quiet"),
        ]
        yield from hanging_lines(spans, look, indent=2, hang=names + 4)


def sandbox_lines(sandboxes: Sandboxes, look: TerminalLook) -> Iterator[str]:
    """Yield what keeps parsers and the browser in."""
    for label, words in (("Parsers", sandboxes.parsers), ("Browser", sandboxes.browser)):
        spans = [Span(f"{label}  kept in by: "), Span(one_line(words), "quiet")]
        yield from hanging_lines(spans, look, indent=2, hang=9)


def _state(one: Diagnosis) -> State:
    if one.probe is not None:
        return "bad" if one.probe.error is not None else "good"
    if one.state in ("set up", "open to everybody"):
        return "good"
    return "off" if one.state in ("not set up", "works without a key") else "care"


def _words(one: Diagnosis) -> str:
    state = f"{one.state}, {one.detail}" if one.detail else one.state
    if one.probe is None:
        return one_line(f"{state}. {one.advice}" if one.advice else state, 2000)
    took = f"{one.probe.operation} in {one.probe.seconds:.2f} s"
    if one.probe.error is None:
        return one_line(f"{state}, {took}. {one.advice}" if one.advice else f"{state}, {took}")
    return one_line(f"{took}: {one.probe.error.message} {one.probe.advice}", 2000)
