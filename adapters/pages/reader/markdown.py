"""Render a tidied tree as markdown that hides nothing and loads nothing."""

import re
from typing import Final

from turbohtml import Element, Markdown

from .characters import unhide

_STYLE: Final = Markdown(
    tables=Markdown.Tables(cell_blocks="text", header="detect"),
    images=Markdown.Images(mode="alt"),
    links=Markdown.Links(autolink=False),
    escaping=Markdown.Escaping(mode="minimal", underscores=False),
)
_SPACES: Final = re.compile(r"[\u1680\u2000-\u200a\u202f\u205f\u3000]")
_LEFT_TAGS: Final = re.compile(r"</?(?:strong|em|b|i)>")
_INFO: Final = "abcdefghijklmnopqrstuvwxyz0123456789_+#.-"
_MOST_LINES: Final = 100_000
_NOTHING: Final = frozenset({"#", "##", "###", "####", "#####", "######", "-", "\\"})
# Our own mark for an image; where a bracket follows, the page is building a link of its own.
_IMAGE_MARK: Final = re.compile(r"\\\[(IMAGE: [^\[\]\\\n]{1,300})\\\](?![(\[:])")


def render(root: Element) -> tuple[str, int]:
    """Return the markdown of ``root`` and how many hiding characters were removed from it."""
    shown, removed = unhide(root.to_markdown(_STYLE))
    text = _SPACES.sub(" ", shown.replace("&#160;", " ").replace("\u00a0", " "))
    if "<" in text:
        text = _LEFT_TAGS.sub("", text)
    if text.count("\n") <= _MOST_LINES:
        text = "\n".join(_tidy_lines(text))
    return _IMAGE_MARK.sub(r"[\1]", text.strip()), removed


def _tidy_lines(text: str) -> list[str]:
    """Drop marks that mark nothing, doubled rules and wide gaps, but not inside code."""
    lines: list[str] = []
    fence = ""
    for raw in text.split("\n"):
        line = raw.rstrip()
        if line.lstrip().startswith("```") and (not fence or line.strip() == fence):
            fence = "" if fence else line.strip().rstrip(_INFO)
        elif not fence and _is_idle(line, lines):
            continue
        lines.append(line)
    return lines


def _is_idle(line: str, before: list[str]) -> bool:
    if not line:
        return not before or not before[-1]
    if line == "---":
        return "---" in before[-2:]
    return line.strip() in _NOTHING
