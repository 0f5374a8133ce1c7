"""The blocks of README and the documentation, and which of them say that they are not to be run."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^\n]+?) -->\n)?```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


class Snippet(NamedTuple):
    page: str
    line: int
    language: str
    text: str
    reason: str | None

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"


def snippets(*languages: str) -> list[Snippet]:
    """Return the blocks in these languages, in their order."""
    return [
        Snippet(
            page.relative_to(ROOT).as_posix(),
            text.count("\n", 0, found.start("text")) + 1,
            found["language"],
            found["text"],
            found["reason"],
        )
        for page in PAGES
        for text in [page.read_text("utf-8")]
        for found in _BLOCK.finditer(text)
        if found["language"] in languages
    ]
