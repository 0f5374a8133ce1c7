"""What is under way: drawn for a person, gone when it is done, nothing in a pipe."""

import io

from tests.doors.cli.screens import Terminal
from webseam.composition.terminal.progress import Progress, ProgressState
from webseam.composition.terminal.terminal_look import TerminalLook

LOOK = TerminalLook(person=True, width=80)


def test_a_frame_has_bar_count_rate_and_time_left() -> None:
    state = ProgressState("Reading", 10, LOOK)
    for second in range(1, 5):
        state.count_step(f"page {second}", "read", float(second))

    first, second_line = state.frame_lines(4.0)

    assert first == "⠋ Reading  ━━━━━━━━━━━━──────────────────  4/10  1.0/s  6 s left"
    assert second_line == "  4 read · page 4"


def test_a_resumed_run_counts_to_the_whole() -> None:
    state = ProgressState("Reading", 10, LOOK, done=6)
    state.count_step("page", "", 1.0)

    assert "7/10" in state.frame_lines(1.0)[0]


def test_work_without_a_total_has_no_bar() -> None:
    state = ProgressState("Searching", None, LOOK)

    assert state.frame_lines(2.0) == ["⠋ Searching"]


def test_a_rate_is_of_the_last_seconds_alone() -> None:
    state = ProgressState("Reading", None, LOOK)
    for second in range(30):
        state.count_step("page", "", float(second))

    assert "1.1/s" in state.frame_lines(29.0)[0]


def test_nothing_is_drawn_in_a_pipe() -> None:
    pipe = io.StringIO()

    with Progress("Reading", 2, stream=pipe) as progress:
        progress.count_step("one.md")

    assert pipe.getvalue() == ""


def test_progress_of_a_short_work_prints_nothing() -> None:
    terminal = Terminal()

    with Progress("Reading", 2, stream=terminal) as progress:
        progress.count_step("one.md")

    assert terminal.getvalue() == ""
