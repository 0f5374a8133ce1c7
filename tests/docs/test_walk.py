"""The commands of README and the documentation, page by page, as a new user types them.

Whoever they ask stands on this machine. A block that is not run says why above itself; so does a
command in the table below. All others end with 0, and print what a block of console shows.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.answering import answering
from tests.doors.cli.run import Ran, webseam
from tests.features.documents import build

from .api import answer
from .shell import Command, commands
from .snippets import PAGES, ROOT, snippets

# Programs that are not ours, and what becomes of them here.
OTHERS = {
    "pip": "installs packages",
    "make": "its targets are checked to be there",
    "jq": "reads what ours wrote",
    "curl": "asks a server of ours",
}
# Patterns of commands, and why they are not run here.
LEFT_OUT = {
    "webseam setup": "asks which of all; tests type the dialogue at a terminal",
    "webseam x --continue LAST *": "goes on from an answer that xAI keeps",
    "webseam mcp install*": "changes the settings of another program, and asks before",
    "webseam mcp check": "starts a server as a process; tests/doors/mcp does so",
    "webseam trust*": "asks a person; tests/doors/cli/test_trust.py answers",
    "webseam extract https://app.example.com/*": "runs a browser",
    "webseam data https://*": "fetches the page itself; tests/features/data does so on this machine",
    "webseam model rerank*": "Jina's address for it is not to be changed; tests/doors/cli asks another",
    "webseam search tide tables --rerank": "the same",
}
# What ends otherwise, as it should.
ENDS_WITH = {
    "webseam policy check http://10.0.0.1/": 5,
    # It names a file of the reader's.
    "webseam extract --backend index http://file.localhost/home/me/notes/pumps.md": 4,
    # A model that answers with one sentence supports no claim.
    "webseam ask how long is the longest bridge?": 4,
}
KEY = "tvly-key-0123456789"
YOURS = "..."  # what stands for a key of the reader's
READERS_HOME = "/home/me"
# Differs from run to run: keys, their ids, handles, days, seconds, milliseconds, widths of columns.
_CHANGING = re.compile(
    r"wsk_[\w-]+|\b[0-9a-f]{24}\b|\b[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\d(?: \d\d:\d\d)?\b"
    r"|\b\d+(?:\.\d+)? s\b|(?<=answered )\d+"
)
SERVICES = ("brave", "tavily", "exa")
PROVIDERS = ("openai", "anthropic", "mistral", "groq", "xai", "jina")
PAGE = "<main><h1>Tides</h1><p>The tide is the rise and fall of the sea, twice a day.</p></main>"
FILES: Mapping[str, bytes] = {
    "saved.html": PAGE.encode(),
    "notes.md": b"# Tides\n\nTwice a day, heat pump or not.",
    "docs/tides.md": b"# Tides\n\nTwice a day.",
    "notes/pumps.md": b"# Pumps\n\nA heat pump in winter.",
    "paper.pdf": build.pdf(["Tides rise twice a day."]),
    "schema.json": b'{"type": "object"}',
    "recipe.json": b'{"title": "Recipe", "properties": {"title": {"type": "string"}}}',
    "saved-pages/tides.html": PAGE.encode(),
    "queries.txt": b"spring tide\n",
    "urls.txt": b"https://example.com/a\nhttps://example.com/b\n",
    "key.txt": f"{KEY}\n".encode(),
    "question.txt": b"What is a neap tide?",
    "chart.png": b"\x89PNG\r\n\x1a\n" + bytes(64),
    "scan.jpg": b"\xff\xd8\xff\xe0" + bytes(64),
}
SETTINGS = """backend: json
extract_backend: json
model_route: [openai]
compressor: {{provider: openai}}
services:
{services}
  searxng: {{base_url: "{address}"}}
  wikipedia: {{base_url: "{address}"}}
providers:
{providers}
  mine: {{base_url: "{address}/v1", model: small-1}}
"""


def _row(command: Command, table: Iterable[str]) -> str:
    """Return the pattern of a table that a command fits; empty where it fits none."""
    text = " ".join(command.words)
    return next((pattern for pattern in table if fnmatchcase(text, pattern)), "")


def _own(command: Command) -> dict[str, str]:
    """Return a command's own variables, with a key where the reader's own would stand."""
    variables = command.variables.items()
    return {name: KEY if value == YOURS else value for name, value in variables}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def _variables(home: Path, address: str) -> dict[str, str]:
    """Write settings that lead everybody who is asked to one address, and return the variables."""
    block = "  {name}: {{api_key: {key}, base_url: '{address}/v1'}}"
    text = SETTINGS.format(
        address=address,
        services="\n".join(block.format(name=name, key=KEY, address=address) for name in SERVICES),
        providers="\n".join(
            block.format(name=name, key=KEY, address=address) for name in PROVIDERS
        ),
    )
    config = home / "config.yaml"
    config.write_text(text)
    config.chmod(0o600)
    return {
        "WEBSEAM_CONFIG": str(config),
        "WEBSEAM_JSON_SEARCH_URL": f"{address}/search",
        "WEBSEAM_JSON_EXTRACT_URL": f"{address}/extract",
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"),
        "WEBSEAM_CACHE": str(home / "cache"),
        "MY_KEY": KEY,
    }


def _run(command: Command, variables: Mapping[str, str]) -> Ran:
    # Where the reader would be asked for a key, it comes by a pipe.
    source = command.source or ("" if {"--set", "--env"} & {*command.words} else "key.txt")
    given = Path(source).read_text() if source else ""
    return webseam(*command.words[1:], given=given, **{**variables, **_own(command)})


def _fault(command: Command, ran: Ran, home: Path) -> object:
    """Return how a run differs from what the page says of it; None where it does not."""
    if ran.code != ENDS_WITH.get(_row(command, ENDS_WITH), 0):
        return (command.words[1:], ran.code, ran.out[:300], ran.err[-300:])
    printed = (ran.out + ran.err).replace(str(home), READERS_HOME)
    if command.output is None or _steady(printed) == _steady(command.output):
        return None
    return (command.words[1:], "prints", printed)


def _steady(text: str) -> list[str]:
    """Return the lines of an output, without what differs from run to run."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [_CHANGING.sub("…", line) for line in lines if line]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_as_they_stand(page: Path, home: Path) -> None:
    name = page.relative_to(ROOT).as_posix()
    blocks = [each for each in snippets("sh", "console") if each.page == name]
    odd: dict[str, object] = {}
    with answering(answer) as address:
        variables = _variables(home, address)
        for command in (one for each in blocks if each.reason is None for one in commands(each)):
            if command.words == ["export"]:
                variables |= _own(command)
            elif command.words[0] == "webseam" and not _row(command, LEFT_OUT):
                fault = _fault(command, _run(command, variables), home)
                if fault is not None:
                    odd[command.place] = fault
            elif command.words[0] not in ("webseam", *OTHERS):
                odd[command.place] = (command.words, "is no program of ours: say why it is not run")

    assert odd == {}


def test_command_of_console_has_its_output_below_or_a_reason_above() -> None:
    shown = [
        command
        for block in snippets("console")
        if block.reason is None
        for command in commands(block)
    ]

    bare = [command.place for command in shown if not (command.output or "").strip()]
    assert bare == [], "Show what these print, or write them into a block of sh."
    not_run = [command.place for command in shown if _row(command, LEFT_OUT)]
    assert not_run == [], "These are not run, so their output is not compared: write sh."


def test_every_reason_is_one() -> None:
    assert all(len(each.reason) > 10 for each in snippets("sh", "console") if each.reason)


def test_command_with_an_exception_is_on_a_page() -> None:
    blocks = [block for block in snippets("sh", "console") if block.reason is None]
    shown = [command for block in blocks for command in commands(block)]

    unused = [
        pattern
        for table in (LEFT_OUT, ENDS_WITH)
        for pattern in table
        if all(_row(command, [pattern]) == "" for command in shown)
    ]

    assert unused == []
