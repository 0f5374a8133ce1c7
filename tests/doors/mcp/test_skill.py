"""The Agent Skill over MCP (SEP-2640), and the server card (SEP-2127)."""

import asyncio
import hashlib
from pathlib import Path

import pytest
import yaml

from tests.doors.mcp.desk import Desk
from tests.doors.mcp.http_desk import HttpDesk
from webseam.composition.doors.mcp.skill import SKILL_URI, skill_text
from webseam.composition.doors.mcp.web_offer import KNOWN_TOOLS


@pytest.mark.parametrize("modern", [True, False])
def test_the_skill_is_listed_with_the_digest_of_what_is_read(
    tmp_path: Path, *, modern: bool
) -> None:
    desk = Desk(tmp_path, modern=modern)

    (skill,) = desk.result("skills/list")["skills"]
    (content,) = desk.result("resources/read", {"uri": skill["uri"]})["contents"]

    data = content["text"].encode()
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert skill["resources"] == [{"uri": skill["uri"], "digest": digest, "size": len(data)}]
    assert skill["frontmatter"] == yaml.safe_load(content["text"].split("---\n")[1])
    assert skill["uri"] == f"skill://{skill['frontmatter']['name']}/SKILL.md"
    assert len(skill["frontmatter"]["description"]) <= 1024
    assert desk.result("skills/get", {"uri": skill["uri"]})["skill"] == skill
    assert desk.error("skills/get", {"uri": "skill://other/SKILL.md"})["code"] == -32602
    assert desk.error("skills/get", {})["code"] == -32602
    assert SKILL_URI in [resource["uri"] for resource in desk.result("resources/list")["resources"]]


def test_the_skill_says_when_to_use_every_tool() -> None:
    assert [tool["name"] for tool in KNOWN_TOOLS if f"`{tool['name']}`" not in skill_text()] == []


def card(folder: Path, resource: str) -> tuple[int, dict[str, object]]:
    async def work() -> tuple[int, dict[str, object]]:
        desk = HttpDesk(folder, config=f"mcp: {{resource: '{resource}'}}")
        answered = await desk.send("GET", "/mcp/server-card", b"", host="any.example").ended()
        await desk.aclose()
        return answered.status, answered.json

    return asyncio.run(work())


def test_strangers_get_a_card_of_a_public_server_alone(tmp_path: Path) -> None:
    status, found = card(tmp_path, "https://mcp.example.com/mcp")

    assert status == 200
    assert found["name"] == "com.example.mcp/webseam"
    assert isinstance(found["remotes"], list)
    assert found["remotes"][0]["url"] == "https://mcp.example.com/mcp"
    assert len(str(found["description"])) <= 100
    for private in ("http://127.0.0.1:8808/mcp", "http://localhost/mcp", "mcp"):
        assert card(tmp_path, private)[0] != 200, private
