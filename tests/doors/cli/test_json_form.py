"""With --json, every command prints one document of one form."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator

import pytest

from tests.answering import answering
from tests.docs.api import answer
from tests.doors.cli.run import webseam
from webseam.composition.doors.cli import find_commands, load_command

# Words of each command: those of a call that works, and of one that fails. ``None`` stands where
# a call cannot fail, or cannot work without a service. @ is a folder with a few files.
CALLS: dict[str, tuple[str | None, str | None]] = {
    "ask": ("how often does the tide rise", "  "),
    "backends": ("", "nope"),
    "bulk duplicates": ("@/run", "@/nowhere"),
    "bulk extract": ("@/page.html -o @/out --format jsonl", "@/empty.html -o @/out2"),
    "bulk report": ("@/run @/report.html", "@/nowhere @/report.html"),
    "bulk search": ("tides -o @/answers --format jsonl", "tides -o @/run"),
    "bulk status": ("@/run", "@/nowhere"),
    "cache clear": ("", "nope"),
    "cache stats": ("", "nope"),
    "config path": ("", "nope"),
    "config show": ("", "nope"),
    "crawl": (None, "http://10.0.0.1/ -o @/site"),
    "data": ("@/page.html --like article", "@/nowhere --like article"),
    "doctor": ("", "nope"),
    "extract": ("https://example.com/tides", "http://10.0.0.1/"),
    "index add": ("@/page.html --index @/i", "@/nowhere --index @/i"),
    "index embed": (None, "--index @/i"),
    "index list": ("--index @/i", "nope"),
    "index refresh": ("--index @/i", "nope"),
    "index remove": ("@/page.html --index @/i", None),
    "index stats": ("--index @/i", "nope"),
    "keys add": ("ann", "ann"),
    "keys list": ("", "nope"),
    "keys revoke": (None, "nobody"),
    "keys set": (None, "nobody --day 2"),
    "map": (None, "http://10.0.0.1/"),
    "mcp check": (None, "--way nope"),
    "model ask": (None, "hello"),
    "model embed": (None, "hello"),
    "model rerank": (None, "hello a b"),
    "models": ("", "nope"),
    "more": (None, "nope"),
    "plugins disable": ("audit-log", "nope"),
    "plugins enable": ("audit-log", "nope"),
    "plugins info": ("audit-log", "nope"),
    "plugins list": ("", "nope"),
    "policy check": ("https://example.com/ --no-dns", "http://10.0.0.1/"),
    "read": ("@/page.html", "@/nowhere"),
    "search": ("tides", "--backend nope tides"),
    "setup": (None, "nope"),
    "spend": ("", "nope"),
    "trust": ("", "nope nope"),
    "x": (None, "tides"),
}  # fmt: skip
PAGE = f"<title>Tides</title><article><p>{'The tide rises and falls twice a day. ' * 20}</p>"


def _json_commands(parser: ArgumentParser, name: str) -> Iterator[str]:
    """Give each command that takes --json, with those below it."""
    below = [action.choices for action in parser._actions if isinstance(action.choices, dict)]  # noqa: SLF001
    for choices in below:
        for word, inner in choices.items():
            yield from _json_commands(inner, f"{name} {word}")
    if not below and "--json" in parser._option_string_actions:  # noqa: SLF001
        yield name


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Have a home with pages and a finished run, and a search on loopback."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "page.html").write_text(PAGE)
    (folder / "empty.html").write_text("")
    with answering(answer) as address:
        variables = {
            "HOME": str(folder),
            "WEBSEAM_JSON_SEARCH_URL": f"{address}/search",
            "WEBSEAM_JSON_EXTRACT_URL": f"{address}/extract",
            "WEBSEAM_EXTRACT_BACKEND": "json",
        }
        run = f"bulk extract {folder}/page.html -o {folder}/run --format jsonl".split()
        assert webseam(*run, **variables).code == 0
        yield variables


def _document(command: str, words: str, settings: dict[str, str]) -> tuple[int, dict[str, object]]:
    arguments = words.replace("@", settings["HOME"]).split(" ") if words else []
    ran = webseam(*command.split(), *arguments, "--json", **settings)
    document = json.loads(ran.out)
    assert isinstance(document, dict)
    return ran.code, document


def test_table_has_every_command_that_takes_json() -> None:
    names = [
        name
        for command in find_commands()
        for name in _json_commands(load_command(command).command_line(), command)
    ]

    assert sorted(CALLS) == sorted(names)


@pytest.mark.parametrize("command", CALLS)
def test_success_has_data_and_failure_has_error_failure_and_next(
    command: str, settings: dict[str, str]
) -> None:
    works, fails = CALLS[command]

    if works is not None:
        code, document = _document(command, works, settings)
        assert (code, document["success"]) == (0, True), document
        assert "data" in document
    if fails is not None:
        code, document = _document(command, fails, settings)
        assert code != 0, document
        assert document["success"] is False
        assert isinstance(document["error"], str)
        failure = document["failure"]
        assert isinstance(failure, dict)
        assert {"kind", "retryable"} <= failure.keys()
        assert isinstance(document["next"], list)
