"""Progress on a terminal's stderr, drawn by a thread: a spinner, a bar, a rate, the time left."""

import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Self, TextIO

from webseam.kernel.text.display import one_line

from .styled_lines import Span, display_width, paint_spans, truncate_middle
from .terminal_look import TerminalLook, read_terminal_look

_FRAME_SECONDS = 0.1  # seconds between two frames
_FIRST_FRAME_SECONDS = 0.5  # shorter work draws nothing
_BAR_DELAY_SECONDS = 1.0
_BAR_WIDTH = 30
_RATE_WINDOW_SECONDS = 10.0  # seconds that the rate is taken over
_MIN_ESTIMATE_SHARE, _MIN_ESTIMATE_SECONDS = 0.05, 3.0  # before these, no estimate is shown
_MINUTE_SECONDS = 60
_MIN_BAR_WIDTH = 40


class Progress:
    """Draws progress inside a ``with``; any thread may call ``step``.

    A ``total`` of None is unknown; ``done`` steps were made before. Without ``counted``, only the
    last step is shown.
    """

    def __init__(
        self,
        verb: str,
        total: int | None = None,
        *,
        done: int = 0,
        counted: bool = True,
        stream: TextIO | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        look = read_terminal_look(self._stream)
        self._is_shown = look.person and look.styles
        self._state = ProgressState(verb, total, look, done=done, counted=counted)
        self._now = now
        self._started_at = now()
        self._end_event = threading.Event()
        self._thread: threading.Thread | None = None
        self._drawn_lines = 0
        self._write_lock = threading.Lock()

    def __enter__(self) -> Self:
        if self._is_shown:
            self._thread = threading.Thread(target=self._draw_frames, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.clear_lines()

    def count_step(self, name: str, outcome: str = "") -> None:
        """Count a step called ``name``, and its outcome."""
        self._state.count_step(name, outcome, self._now() - self._started_at)

    def show_step(self, name: str, outcome: str = "") -> None:
        """Show the current step without counting it."""
        self._state.set_step(name, outcome)

    def print_above(self, write: Callable[[], object]) -> None:
        """Call ``write`` above the progress lines, which are drawn again below."""
        with self._write_lock:
            if self._drawn_lines:
                self._write_frame([])
            write()

    def clear_lines(self) -> None:
        """Take the lines away again."""
        self._end_event.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _draw_frames(self) -> None:
        wait = _FIRST_FRAME_SECONDS
        while not self._end_event.wait(wait):
            wait = _FRAME_SECONDS
            self._draw_frame(self._state.frame_lines(self._now() - self._started_at))
        if self._drawn_lines:
            self._draw_frame([])

    def _draw_frame(self, lines: list[str]) -> None:
        with self._write_lock:
            self._write_frame(lines)

    def _write_frame(self, lines: list[str]) -> None:
        # From the first line of the last frame: go up, clear all below, write.
        up = f"\x1b[{self._drawn_lines - 1}A" if self._drawn_lines > 1 else ""
        self._drawn_lines = len(lines)
        try:
            self._stream.write(f"\r{up}\x1b[J" + "\n".join(lines))
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is closed
            self._end_event.set()


class ProgressState:
    """The counts of a piece of work, and its lines at a moment."""

    def __init__(
        self,
        verb: str,
        total: int | None,
        look: TerminalLook,
        *,
        done: int = 0,
        counted: bool = True,
    ) -> None:
        self._verb, self._total, self._look, self._counted = verb, total, look, counted
        self.done = done
        self.outcomes: Counter[str] = Counter()
        self._name = ""
        self._times: deque[float] = deque()

    def count_step(self, name: str, outcome: str, at: float) -> None:
        """Count a step."""
        self.done += 1
        self.set_step(name, outcome)
        self._times.append(at)
        while self._times and at - self._times[0] > _RATE_WINDOW_SECONDS:
            self._times.popleft()

    def set_step(self, name: str, outcome: str) -> None:
        """Set the current step, and count its outcome."""
        self._name = name
        if outcome:
            self.outcomes[outcome] += 1

    def frame_lines(self, at: float) -> list[str]:
        """Return the lines for a moment, in seconds since the beginning."""
        look = self._look
        symbols = look.symbols
        spinner = symbols.spinner[int(at / _FRAME_SECONDS) % len(symbols.spinner)]
        spans = [Span(f"{spinner} ", "bar"), Span(self._verb)]
        if self._total is not None and at >= _BAR_DELAY_SECONDS and look.width >= _MIN_BAR_WIDTH:
            spans += [Span("  "), *self._bar_spans()]
        recent = [moment for moment in self._times if at - moment <= _RATE_WINDOW_SECONDS]
        rate = len(recent) / min(max(at, _FRAME_SECONDS), _RATE_WINDOW_SECONDS)
        rate_text = f"{rate:.1f}/s" if rate else ""
        tail = "  ".join(filter(None, (self._count_text(), rate_text, self._left_text(at, rate))))
        if tail and self._counted:
            spans.append(Span(f"  {tail}"))
        line = paint_spans(spans, look)
        counts = [f"{count:,} {outcome}" for outcome, count in self.outcomes.items()]
        under = [*counts, one_line(self._name, 200)] if self._name else counts
        detail = truncate_middle(symbols.dot.join(under), look.width - 3, symbols.cut)
        return [line, paint_spans([Span(f"  {detail}", "quiet")], look)] if detail else [line]

    def _bar_spans(self) -> list[Span]:
        total = max(self._total or 0, 1)
        room = self._look.width - display_width(self._verb) - 34
        width = max(5, min(_BAR_WIDTH, room))
        full = min(width, width * self.done // total)
        symbols = self._look.symbols
        return [Span(symbols.bar * full, "bar"), Span(symbols.rest * (width - full), "quiet")]

    def _count_text(self) -> str:
        if self._total is None:
            return f"{self.done:,}" if self.done else ""
        return f"{self.done:,}/{self._total:,}"

    def _left_text(self, at: float, per_second: float) -> str:
        if self._total is None or not per_second:
            return ""
        if self.done < _MIN_ESTIMATE_SHARE * self._total and at < _MIN_ESTIMATE_SECONDS:
            return ""
        return time_left_text((self._total - self.done) / per_second)


def time_left_text(seconds: float) -> str:
    """Return how long something will still take, rounded up.

    >>> time_left_text(8.2), time_left_text(130)
    ('9 s left', 'about 3 min left')
    """
    if seconds <= _MINUTE_SECONDS:
        return f"{-int(-seconds // 1)} s left"
    return f"about {-int(-seconds // _MINUTE_SECONDS)} min left"
