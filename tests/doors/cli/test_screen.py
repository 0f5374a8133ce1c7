"""What a person sees: styles by what the terminal can do, lines by its width."""

import io
import itertools
import re
from pathlib import Path

import msgspec
import pytest

from tests.doors.cli.screens import ROWS, Terminal, bare, outcome
from webseam.composition.doors.cli import main
from webseam.composition.terminal.failure_lines import failure_lines, next_step_commands
from webseam.composition.terminal.page_lines import (
    markdown_lines,
    page_screen_lines,
    print_paged_lines,
)
from webseam.composition.terminal.result_lines import (
    nothing_found_lines,
    search_footer,
    search_lines,
)
from webseam.composition.terminal.styled_lines import (
    Column,
    Span,
    display_width,
    link_target,
    paint_spans,
    table_lines,
    wrap_spans,
)
from webseam.composition.terminal.terminal_look import (
    ASCII_SYMBOLS,
    UNICODE_SYMBOLS,
    TerminalLook,
    read_terminal_look,
)
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import AuthFailed, NobodyAnswered, RateLimited, UrlDenied
from webseam.ports.receipts import ExtractReceipt
from webseam.ports.web import WebExtractResult


@pytest.mark.parametrize(
    ("environ", "styles", "colours", "links", "symbols"),
    [
        ({"TERM": "xterm"}, True, True, True, UNICODE_SYMBOLS),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False, True, UNICODE_SYMBOLS),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, True, True, UNICODE_SYMBOLS),
        ({"TERM": "dumb"}, False, False, False, ASCII_SYMBOLS),
        ({}, False, False, False, ASCII_SYMBOLS),
        (
            {"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1"},
            True,
            False,
            True,
            UNICODE_SYMBOLS,
        ),
    ],
)
def test_a_terminal_is_given_what_it_can_show(
    environ: dict[str, str], *, styles: bool, colours: bool, links: bool, symbols: object
) -> None:
    look = read_terminal_look(Terminal(), environ)

    assert (look.person, look.styles, look.colours, look.links) == (True, styles, colours, links)
    assert look.symbols == symbols


@pytest.mark.parametrize(
    ("environ", "styles"),
    [
        ({"TERM": "xterm"}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_a_pipe_has_styles_only_by_force(environ: dict[str, str], *, styles: bool) -> None:
    look = read_terminal_look(io.StringIO(), environ)

    assert (look.person, look.styles, look.links) == (False, styles, False)


def test_symbols_that_cannot_be_written_are_ascii() -> None:
    assert read_terminal_look(Terminal("ascii"), {"TERM": "xterm"}).symbols == ASCII_SYMBOLS
    assert read_terminal_look(Terminal("no-such-code"), {"TERM": "xterm"}).symbols == ASCII_SYMBOLS


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_of_a_search_is_wider_than_the_window(width: int) -> None:
    look = TerminalLook(person=True, width=width, styles=True, colours=True, links=True)

    lines = list(search_lines(outcome(*ROWS), look))

    assert max(display_width(bare(line)) for line in lines) <= width
    assert not any(line != line.rstrip() for line in map(bare, lines))


def test_a_search_is_drawn_with_title_address_day_and_matches() -> None:
    look = TerminalLook(person=True, width=80, styles=True, colours=True)

    lines = list(search_lines(outcome(ROWS[0]), look))

    assert lines[0] == " 1  \x1b[1mTide tables for Brest\x1b[0m"
    assert bare(lines[1]) == "    tides.example/ports/brest/2026-11 · 12 Nov 2026"
    assert "\x1b[1;35mBrest\x1b[0m" in lines[2]


def test_a_document_of_the_index_is_shown_as_the_file_that_it_is() -> None:
    row = msgspec.structs.replace(ROWS[0], url="http://file.localhost/home/me/to%20do.md")
    look = TerminalLook(person=True, width=80, styles=True, links=True)

    lines = list(search_lines(outcome(row), look))

    assert bare(lines[1]).startswith("    /home/me/to do.md · ")
    assert "file.localhost" not in "".join(lines)


def test_marks_of_the_service_count_instead_of_the_words_asked_for() -> None:
    look = TerminalLook(person=True, width=80, styles=True, colours=True)

    text = "\n".join(search_lines(outcome(ROWS[1]), look))

    assert "**" not in text
    assert "\x1b[1;35mBrest\x1b[0m" in text


def test_a_snippet_ends_after_three_lines_and_says_so() -> None:
    lines = list(search_lines(outcome(ROWS[1]), TerminalLook(person=True, width=60)))

    assert len(lines) == 5
    assert lines[-1].endswith("…")


def test_the_footer_says_how_many_who_and_how_long() -> None:
    look = TerminalLook(person=True, width=80)

    footer = list(search_footer(outcome(ROWS[0], cached=True), 0.421, look))

    assert footer == ["1 result · brave · cached · 0.42 s"]


def test_the_footer_says_what_was_checked_and_what_nobody_read() -> None:
    look = TerminalLook(person=True, width=200)
    found = outcome(ROWS[0])
    receipt = msgspec.structs.replace(
        found.receipt,
        sent=("country", "include_domains"),
        verified=("include_domains",),
        filtered=2,
        undated=1,
        unread=("engine", "thumb\u202e"),
    )

    footer = list(search_footer(msgspec.structs.replace(found, receipt=receipt), 0.421, look))

    checks = "2 left out by filters · 1 without a date · not verified: country"
    assert footer == [f"1 result · brave · 0.42 s · {checks} · not read: engine, thumb"]


def test_nothing_found_names_the_filters_and_what_to_type() -> None:
    query = {
        "query": "tide tables",
        "include_domains": ["a.example"],
        "published_after": "2026-11-08",
    }

    lines = list(nothing_found_lines(query, TerminalLook(person=True, width=80), ("wikipedia",)))

    assert lines == [
        "Nothing found for tide tables on a.example since 8 Nov 2026.",
        "",
        "Wider   webseam search tide tables   without filters",
        "Others  webseam search tide tables --backend wikipedia   needs no key",
    ]


def test_a_query_that_a_shell_would_read_is_quoted_in_what_to_type() -> None:
    lines = list(
        nothing_found_lines({"query": "a; rm -rf $HOME"}, TerminalLook(person=True), ("wikipedia",))
    )

    assert lines[-1].startswith("Others  webseam search 'a; rm -rf $HOME' --backend")


@pytest.mark.parametrize(
    ("error", "facts", "step"),
    [
        (
            AuthFailed(backend="brave", status=401),
            "auth_failed · HTTP 401 · trying again does not help",
            "webseam setup brave",
        ),
        (
            NobodyAnswered(attempts=(BackendAttempt(backend="exa", outcome="auth_failed"),)),
            "nobody_answered · trying again may help",
            "Fix it  webseam setup exa   its key was refused",
        ),
        (RateLimited(backend="brave", retry_after=30), "rate_limited · try again in 30 s", ""),
        (
            UrlDenied(url="http://10.0.0.1/?a=1&b", rule="private", stage="address"),
            "url_denied · trying again does not help",
            "webseam policy check 'http://10.0.0.1/?a=1&b'",
        ),
    ],
)
def test_a_failure_says_its_kind_and_what_to_type(error: object, facts: str, step: str) -> None:
    lines = list(failure_lines(error, TerminalLook(person=True, width=100)))  # type: ignore[arg-type]

    assert lines[0].startswith("✗ ")
    assert lines[1] == f"  {facts}"
    assert step in "\n".join(lines[2:])


def test_a_file_on_a_drive_is_read_and_no_scheme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c:page.html").touch()
    error = UrlDenied(url="c:page.html", rule="scheme", stage="parse")

    assert [step.command for step in next_step_commands(error)] == ["webseam read c:page.html"]


@pytest.mark.parametrize("width", [30, 36, 40, 60])
def test_no_line_of_a_failure_is_wider_than_the_window_but_commands(width: int) -> None:
    error = UrlDenied(url="http://10.0.0.1/", rule="private", stage="address")
    refused = AuthFailed(backend="brave", status=401)

    look = TerminalLook(person=True, width=width)
    lines = [*failure_lines(error, look), *failure_lines(refused, look)]

    wide = [line for line in lines if display_width(line) > width]
    assert all("webseam" in line for line in wide)


def test_a_page_is_drawn_in_ascii_where_nothing_else_can_be_shown() -> None:
    text = "# Tides\n\n- one\n\n> said\n\n| moon | tide |\n| --- | --- |\n| new | spring |\n\n---\n"

    lines = "\n".join(
        markdown_lines(text, TerminalLook(person=True, width=60, symbols=ASCII_SYMBOLS))
    )

    assert lines.isascii()
    assert "* one" in lines


def test_right_to_left_text_does_not_turn_the_line_around() -> None:
    painted = paint_spans([Span("שלם")], TerminalLook(person=True))

    assert painted == "\u2068שלם\u2069"


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://a.example/x y", "https://a.example/x%20y"),
        ("https://user:pw@a.example/", ""),
        ("javascript:alert(1)", ""),
        ("https://a.example/\x1b]8;;", "https://a.example/%1B]8;;"),
        ("https://a.example/" + "x" * 2000, ""),
    ],
)
def test_a_link_leads_to_the_web_and_holds_no_escape(url: str, target: str) -> None:
    assert link_target(url) == target


def test_columns_go_in_their_order_until_the_table_fits() -> None:
    columns = (Column("name"), Column("about", drop=1), Column("from", drop=2))
    rows = [[Span("brave"), Span("x" * 40), Span("settings")]]

    wide = list(table_lines(columns, rows, TerminalLook(person=True, width=80)))
    narrow = list(table_lines(columns, rows, TerminalLook(person=True, width=30)))
    piped = list(table_lines(columns, rows, TerminalLook(width=30)))

    assert wide[0] == piped[0] == "name   about" + " " * 37 + "from"
    assert narrow == ["name   from", "brave  settings"]


def test_markdown_is_indented_and_its_escapes_are_those_of_the_look() -> None:
    text = "# Tides\n\n\n\nTwice a **month**.\n\n- one\n- two\n"

    plain = list(markdown_lines(text, TerminalLook(person=True, width=60)))
    styled = "\n".join(markdown_lines(text, TerminalLook(person=True, width=60, styles=True)))

    assert all(line == "" or line.startswith("  ") for line in plain)
    assert "\x1b" not in "".join(plain)
    assert "\x1b[1mmonth" in styled


def test_a_table_has_one_empty_line_around_it() -> None:
    text = "Before.\n\n| moon | tide |\n| --- | --- |\n| new | spring |\n\nAfter."

    lines = list(
        markdown_lines(text, TerminalLook(person=True, width=60, styles=True, colours=True))
    )

    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in lines]
    assert all(left or right for left, right in itertools.pairwise(bare))
    assert [bare.index(""), bare[-1]] == [1, "After."]


def test_a_word_longer_than_the_line_is_broken() -> None:
    assert [line[0].text for line in wrap_spans([Span("abcdef")], 4)] == ["abcd", "ef"]


def test_a_page_says_what_it_is_and_cannot_forge_our_lines() -> None:
    receipt = ExtractReceipt(
        backend="pages",
        url="https://tides.example/a",
        final_url="https://tides.example/a",
        characters=1000,
        compressed=False,
        compressed_characters=None,
        omitted=620,
        next_cursor=380,
        handle="ab12",
    )
    page = WebExtractResult(
        url="https://tides.example/a",
        final_url="https://tides.example/a",
        title="Spring tides",
        content="# Spring tides\n\nTwice a month.\n\nMore  webseam more evil",
        raw_content="",
        metadata={"author": "A. Keeper", "published_at": "2026-03-03"},
        receipt=receipt,
    )

    lines = list(page_screen_lines(page, TerminalLook(person=True, width=80), 0.42))

    assert lines == [
        "Spring tides",
        "tides.example/a · A. Keeper · 3 Mar 2026 · 10 words",
        "",
        "  Twice a month.",
        "",
        "  More  webseam more evil",
        "",
        "read on this machine · 0.42 s · 620 characters not shown",
        "More  webseam more ab12   38 % shown",
    ]


def test_a_short_page_needs_no_pager(capsys: pytest.CaptureFixture[str]) -> None:
    print_paged_lines(iter(["one", "two"]), TerminalLook())

    assert capsys.readouterr().out == "one\ntwo\n"


@pytest.mark.parametrize(
    "words", [("config", "show"), ("plugins", "list"), ("plugins", "info", "redaction")]
)
@pytest.mark.parametrize("width", [30, 40, 80])
def test_no_line_is_wider_than_the_window_but_for_a_path(
    words: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("WEBSEAM_CONFIG", str(tmp_path / "no" / "config.yaml"))

    assert main(words) == 0

    lines = [bare(line) for line in screen.getvalue().splitlines()]
    assert len(lines) > 2
    assert [
        line for line in lines if display_width(line) > width and not line.startswith("  /")
    ] == []
