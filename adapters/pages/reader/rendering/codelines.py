"""Code that a page lays out line by line, in a table, boxes or a list, as the one block it is."""

from itertools import groupby
from typing import Final

from turbohtml import Element, Text

# GitHub, highlight.js with line numbers, SyntaxHighlighter, Crayon.
_LINES: Final = "td.blob-code,td.hljs-ln-code,.syntaxhighlighter .container > .line,.crayon-line"
_HOLDERS: Final = "table,.container,.crayon-pre"
_MOST: Final = 20_000
_MOST_BREAKS: Final = 2_000


def set_code_lines(root: Element) -> None:
    """Put lines of code that stand in boxes of their own into one block, in place."""
    # They all stand in tables.
    lines = root.select(_LINES)[:_MOST] if root.find("table") is not None else []
    for holder, group in groupby(lines, lambda line: line.closest(_HOLDERS)):
        if holder is not None:
            _join(holder, list(group))
    # Prettify numbers lines by a list.
    numbered = root.select("pre > ol,pre > code > ol") if root.find("pre") is not None else []
    for holder in numbered[:_MOST]:
        _join(holder, [line for line in holder.children if isinstance(line, Element)])
    broken = root.select("code > br")[:_MOST_BREAKS]
    for code in dict.fromkeys(line.parent for line in broken):
        if isinstance(code, Element) and code.closest("pre") is None:
            _open(code)


def _join(holder: Element, lines: list[Element]) -> None:
    # Blanks that do not break stand for those that the page would swallow.
    told = (line.text.strip("\n").replace("\u00a0", " ") for line in lines)
    text, around = Text("\n".join(told)), holder.closest("pre")
    if around is not None:
        around.clear()
        around.append(text)
    else:
        block = Element("pre")
        block.append(text)
        holder.replace_with(block)


def _open(code: Element) -> None:
    """Let code that is broken by hand be a block."""
    for broken in code.find_all("br"):
        broken.replace_with(Text("\n"))
    code.wrap(Element("pre"))
