"""What README shows under a command is what the command prints."""

import json
import re
from pathlib import Path

from tests.answering import Asked, Reply, answering
from tests.doors.cli.run import webseam

from .snippets import ROOT

README = (ROOT / "README.md").read_text("utf-8")
# Each command with its output below it.
COMMANDS = ("webseam doctor", "webseam search tide tables --json | jq", "webseam policy check")


def _shown(command: str) -> str:
    """Return the block of text that stands below a command."""
    block = re.search(
        r"^```text\n(.*?)^```$", README.partition(command)[2], re.DOTALL | re.MULTILINE
    )
    assert block is not None
    return block[1]


def test_every_block_of_output_below_a_command_is_compared() -> None:
    below = re.findall(
        r"^```sh\n(?:(?!^```).)*^```\n\n(?:[^`\n]+\n\n)?```text$", README, re.DOTALL | re.MULTILINE
    )

    assert len(below) == len(COMMANDS)


def test_doctor_of_a_new_user_prints_what_readme_shows(tmp_path: Path) -> None:
    ran = webseam("doctor", HOME=str(tmp_path), WEBSEAM_KEYLESS="true")

    assert ran.out == _shown("webseam doctor  ")


def test_policy_check_prints_what_readme_shows() -> None:
    ran = webseam("policy", "check", "http://10.0.0.1/")

    assert ran.out == _shown("webseam policy check")


def test_addresses_stand_where_readme_has_jq_read_them() -> None:
    shown = _shown("webseam search tide tables --json | jq '.data.web[].url'")
    addresses = [json.loads(line) for line in shown.splitlines()]

    def answer(_: Asked) -> Reply:
        return Reply({"results": [{"title": "T", "url": url, "snippet": "S"} for url in addresses]})

    with answering(answer) as address:
        variables = {"WEBSEAM_JSON_SEARCH_URL": f"{address}/search"}
        ran = webseam("search", "tide", "tables", "--json", **variables)

    rows = json.loads(ran.out)["data"]["web"]
    assert [row["url"] for row in rows] == addresses
