"""Slips of the hand get a guess, in one line."""

from types import ModuleType

import pytest

from webseam.composition.doors.cli.commands import doctor, search
from webseam.composition.features.bulk.commands import bulk
from webseam.composition.terminal.styled_lines import Span, truncate_end

from .run import webseam


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("search", "x", "--format", "jsn"),
            "webseam search: argument --format: there is no 'jsn'; did you mean json? See webseam search --help.",
        ),
        (
            ("index", "ad"),
            "webseam index: there is no command 'ad'; did you mean add? See webseam index --help.",
        ),
        (
            ("config", "zzz"),
            "webseam config: there is no command 'zzz'; there are show, path. See webseam config --help.",
        ),
        (
            ("search", "x", "-n", "five"),
            "webseam search: argument -n/--max-results: 'five' is not a whole number. See webseam search --help.",
        ),
        (
            ("model", "ask", "x", "--temperature", "hot"),
            "webseam model ask: argument --temperature: 'hot' is not a number. See webseam model ask --help.",
        ),
        (
            ("ask", "q", "--seconds", "few"),
            "webseam ask: argument --seconds: 'few' is not a number. See webseam ask --help.",
        ),
        (
            ("more", "x", "--from=-1"),
            "webseam: handle: is not a handle of a stored text; webseam extract prints one under a page that it shows in part.",
        ),
        (
            ("x", "storms", "--since", "someday"),
            "webseam x: argument --since: 'someday' is no day; use today, yesterday, week, 2w, 3 months or a date such as 2026-01-31. See webseam x --help.",
        ),
        (
            ("extract", "https://a.example/", "--at-once", "no"),
            "webseam extract: argument --at-once: 'no' is not a whole number from 1 on. See webseam extract --help.",
        ),
        (
            ("search",),
            "webseam search: query is missing, as in: webseam search tide tables. See webseam search --help.",
        ),
        (
            ("crawl",),
            "webseam crawl: -o/--output and URL are missing, as in: webseam crawl https://example.com/ -o dataset. See webseam crawl --help.",
        ),
        (
            ("index",),
            "webseam index: say which: add, refresh, embed, remove, list, stats. See webseam index --help.",
        ),
        (
            ("search", "x", "--backnd", "y"),
            "webseam search: there is no option --backnd; did you mean --backend? See webseam search --help.",
        ),
        (
            ("search", "pump", "-gas"),
            "webseam search: there is no option -gas; put -- before words that begin with a minus. See webseam search --help.",
        ),
        (
            ("search", "-heat pump"),
            "webseam search: put -- before words that begin with a minus. See webseam search --help.",
        ),
        (
            ("search", "x", "--zzz"),
            "webseam search: there is no option --zzz. See webseam search --help.",
        ),
        (
            ("index", "add", "x", "--verbrose"),
            "webseam index: there is no option --verbrose; did you mean --verbose? See webseam index --help.",
        ),
        (
            ("model", "embed", "x", "--explain"),
            "webseam model: there is no option --explain. See webseam model --help.",
        ),
        (
            ("config", "path", "twice"),
            "webseam config: it takes no 'twice'. See webseam config --help.",
        ),
        (
            ("config", "set"),
            "webseam config: there is no command 'set'; type webseam setup NAME --set OPTION=VALUE. See webseam config --help.",
        ),
        (
            ("crawl", "--max-pages", "3", "https://a.example/"),
            "webseam crawl: there is no option --max-pages; did you mean --pages? See webseam crawl --help.",
        ),
        (
            ("crawl", "--max-depth", "3", "https://a.example/"),
            "webseam crawl: there is no option --max-depth; did you mean --depth? See webseam crawl --help.",
        ),
        (
            ("mcp", "install", "claude"),
            "webseam mcp install: argument client: there is no 'claude'; did you mean claude-desktop or claude-code? See webseam mcp install --help.",
        ),
        (
            ("serve", "keys", "add", "anna"),
            "webseam serve: it takes no 'keys add anna'; type webseam keys; in a container, webseam is its --entrypoint. See webseam serve --help.",
        ),
        (
            ("setup", "brave", "KEY"),
            "webseam: setup: takes one name at a time, not 2; it asks for the key, or reads it from standard input: webseam setup brave < key.txt.",
        ),
        (
            ("search", "x", "--backend", "brave", "--endpoint", "http://127.0.0.1:9/"),
            "webseam: --endpoint: is asked by the backend json, and --backend names 'brave'; leave one of them out.",
        ),
        (
            (
                "extract",
                "https://a.example/",
                "--route",
                "pages",
                "--endpoint",
                "http://127.0.0.1:9/",
            ),
            "webseam: --endpoint: is asked by the backend json, which --route does not name.",
        ),
        (
            ("extract", "https://a.example/", "-o", "page.pdf"),
            "webseam: --output: 'page.pdf' would hold markdown; its name may end in .txt, .json, .jsonl, .csv, .html, .md, .markdown, or add --format.",
        ),
        (
            ("extract", "https://a.example/", "--max-tokens", "9"),
            "webseam extract: it takes no '--max-tokens'; use --max-chars, about four characters a token. See webseam extract --help.",
        ),
        (
            ("model", "title", "notes.md"),
            "webseam model: there is no command 'title'; in Python, webseam.kernel.features.models.small_work has it. See webseam model --help.",
        ),
        (
            ("model", "ask", "x", "--seed", "3"),
            "webseam model: it takes no '--seed'; in Python, a ChatRequest takes it. See webseam model --help.",
        ),
        (
            ("bulk", "extract", "a.warc", "-o", "x", "--compress", "9"),
            "webseam bulk: it takes no '--compress'; in Python, webseam.bulk takes compress= and instruction=. See webseam bulk --help.",
        ),
        (
            ("search", "x", "--timeout", "3"),
            "webseam search: it takes no '--timeout'; put WEBSEAM_TIMEOUT=SECONDS before the command. See webseam search --help.",
        ),
        (
            ("ask", "q", "--index", "notes.db"),
            "webseam ask: it takes no '--index'; use --backend index. See webseam ask --help.",
        ),
        (
            ("more", "handle", "--again"),
            "webseam more: it takes no '--again'; use --from 0. See webseam more --help.",
        ),
        (
            ("crawl", "--limit", "3", "https://a.example/"),
            "webseam crawl: there is no option --limit; did you mean --pages? See webseam crawl --help.",
        ),
        (
            ("config", "get", "route"),
            "webseam config: there is no command 'get'; type webseam config show. See webseam config --help.",
        ),
        (
            ("search", "x", "--no-cache", "--max-age", "5m"),
            "webseam search: --max-age does nothing with --no-cache; leave one of them out. See webseam search --help.",
        ),
        (("fetch", "x"), "webseam: there is no command 'fetch'. Did you mean extract?"),
        (("open", "x"), "webseam: there is no command 'open'. Did you mean extract?"),
        (("login",), "webseam: there is no command 'login'. Did you mean setup?"),
        (
            ("--wat",),
            "webseam: there is no option '--wat' here. Options follow a command: webseam COMMAND --help lists them.",
        ),
        (("serch",), "webseam: there is no command 'serch'. Did you mean search?"),
    ],
)
def test_misspelt_commands_get_a_guess(words: tuple[str, ...], said: str) -> None:
    ran = webseam(*words)

    assert (ran.code, ran.out, ran.err) == (2, "", f"{said}\n")


@pytest.mark.parametrize(
    ("command", "words", "name", "taken"),
    [
        (
            bulk,
            "extract a.warc -o out b.warc --workers 2 c.warc -",
            "input",
            ["a.warc", "b.warc", "c.warc", "-"],
        ),
        (bulk, "extract -o out a.warc", "input", ["a.warc"]),
        (search, "tide -n 3 tables --json today", "query", ["tide", "tables", "today"]),
        (doctor, "brave --json exa", "part", ["brave", "exa"]),
    ],
)
def test_words_may_stand_on_both_sides_of_an_option(
    command: ModuleType, words: str, name: str, taken: list[str]
) -> None:
    options = command.command_line().parse_args(words.split())

    assert getattr(options, name) == taken


def test_a_variable_that_is_nearly_right_is_told_of() -> None:
    variables = {"WEBSEAM_TIMOUT": "3", "WEBSEAM_BRAVE_API_KEY": "k", "WEBSEAM_XYZ": "1"}

    ran = webseam("doctor", **variables)

    assert ran.code == 0
    assert ran.err == ("webseam: WEBSEAM_TIMOUT is not a setting; did you mean WEBSEAM_TIMEOUT?\n")


def test_a_cell_is_cut_by_letters() -> None:
    spans = [Span("set "), Span("OPENAI_API_KEY", "quiet"), Span("more")]

    assert truncate_end(spans, 10) == [Span("set "), Span("OPENA…", "quiet")]
    assert truncate_end(spans, 40) == spans
