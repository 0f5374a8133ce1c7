"""The Agent Skill that says when to use which tool; over MCP by SEP-2640 (read 2026-11-18)."""

from functools import cache
from pathlib import Path

from .json_rpc import Json

SKILL_URI = "skill://webseam/SKILL.md"


@cache
def skill_text() -> str:
    """Return the file ``SKILL.md``."""
    return Path(__file__).with_name("SKILL.md").read_text("utf-8")


def skill_guide() -> str:
    """Return the text below the frontmatter."""
    return skill_text().split("---\n", 2)[2].lstrip()


def skill_entry() -> Json:
    """Return the skill in the form of ``skills/list``, with the digest of its file."""
    import hashlib  # noqa: PLC0415  not before the first answer

    lines = skill_text().split("---\n", 2)[1].splitlines()
    content = skill_text().encode()
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return {
        "uri": SKILL_URI,
        "frontmatter": dict(line.split(": ", 1) for line in lines),
        "resources": [{"uri": SKILL_URI, "digest": digest, "size": len(content)}],
    }
