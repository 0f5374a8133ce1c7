"""Code that a page lays out line by line, in a table, boxes or a list, as the one block it is."""

import re
from itertools import groupby
from typing import Final

from turbohtml import Element, Text

# GitHub, highlight.js with line numbers, SyntaxHighlighter, Crayon.
_LINES: Final = "td.blob-code,td.hljs-ln-code,.syntaxhighlighter .container > .line,.crayon-line"
_HOLDERS: Final = "table,.container,.crayon-pre"
# How Doxygen sets a signature, and what it says of it beside.
_SIGNATURES: Final = "table.memname:not(:has(table))"
_LABELLED: Final = "table.mlabels"
_LOOSE: Final = re.compile(r" (?=[(),])|(?<=\() ")
_MAX_CODE_BLOCKS: Final = 20_000
_MAX_BREAKS: Final = 2_000


def set_code_lines(root: Element) -> None:
    """Put lines of code that stand in boxes of their own into one block, in place."""
    if root.find("table") is not None:
        _set_tables(root)
    # Prettify numbers lines by a list.
    numbered = root.select("pre > ol,pre > code > ol") if root.find("pre") is not None else []
    for holder in numbered[:_MAX_CODE_BLOCKS]:
        _join(holder, [line for line in holder.children if isinstance(line, Element)])
    broken = root.select("code > br")[:_MAX_BREAKS]
    for code in dict.fromkeys(line.parent for line in broken):
        if isinstance(code, Element) and code.closest("pre") is None:
            _open(code)


def _set_tables(root: Element) -> None:
    for signature in root.select(_SIGNATURES)[:_MAX_CODE_BLOCKS]:
        _write(signature)
    for holder, group in groupby(
        root.select(_LINES)[:_MAX_CODE_BLOCKS], lambda one: one.closest(_HOLDERS)
    ):
        if holder is not None:
            _join(holder, list(group))


def _write(signature: Element) -> None:
    """Let a signature whose parts stand in cells be a line of code."""
    cells = (cell.text for cell in signature.find_all("td"))
    line = _LOOSE.sub("", " ".join(" ".join(cells).split()))
    around = signature.closest(_LABELLED)
    if around is None or around.parent is None:
        around = signature
    labels = ", ".join(label.text.strip() for label in around.select(".mlabel"))
    # As code in the block: a long one would be taken for a paragraph.
    block, code = Element("pre"), Element("code")
    code.append(Text(f"{line} [{labels}]" if labels else line))
    block.append(code)
    around.replace_with(block)


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
