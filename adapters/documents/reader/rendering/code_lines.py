"""Join code that a page lays out line by line, in a table, boxes or a list, into one block."""

import re
from itertools import groupby
from typing import Final

from turbohtml import Element, Text

# GitHub, highlight.js with line numbers, SyntaxHighlighter, Crayon.
_CODE_LINE_SELECTOR: Final = (
    "td.blob-code,td.hljs-ln-code,.syntaxhighlighter .container > .line,.crayon-line"
)
_CODE_HOLDER_SELECTOR: Final = "table,.container,.crayon-pre"
# Doxygen's signatures, and the table that also holds their labels.
_SIGNATURE_SELECTOR: Final = "table.memname:not(:has(table))"
_LABELLED_SELECTOR: Final = "table.mlabels"
_LOOSE_BLANK_PATTERN: Final = re.compile(r" (?=[(),])|(?<=\() ")
_MAX_CODE_BLOCKS: Final = 20_000
_MAX_BREAKS: Final = 2_000


def join_code_lines(root: Element) -> None:
    """Join lines of code in separate boxes into one block, in place."""
    if root.find("table") is not None:
        _join_code_tables(root)
    _join_code_rows(root)
    # Prettify writes numbered lines as a list.
    numbered = root.select("pre > ol,pre > code > ol") if root.find("pre") is not None else []
    for holder in numbered[:_MAX_CODE_BLOCKS]:
        _join_code_lines(holder, [line for line in holder.children if isinstance(line, Element)])
    broken = root.select("code > br")[:_MAX_BREAKS]
    for code in dict.fromkeys(line.parent for line in broken):
        if isinstance(code, Element) and code.closest("pre") is None:
            _make_code_block(code)


def _join_code_rows(root: Element) -> None:
    """Join boxes that each hold only pieces of code: they are the lines of one block."""
    rows = dict.fromkeys(
        code.parent for code in root.select("div > code + code")[:_MAX_CODE_BLOCKS]
    )
    for holder in dict.fromkeys(row.parent for row in rows if row is not None):
        lines = [node for node in holder.children if isinstance(node, Element)] if holder else []
        nodes = [node for line in lines for node in line.children if node.text.strip()]
        if isinstance(holder, Element) and all(
            getattr(node, "tag", "") == "code" for node in nodes
        ):
            _join_code_lines(holder, lines)


def _join_code_tables(root: Element) -> None:
    for signature in root.select(_SIGNATURE_SELECTOR)[:_MAX_CODE_BLOCKS]:
        _replace_signature(signature)
    for holder, group in groupby(
        root.select(_CODE_LINE_SELECTOR)[:_MAX_CODE_BLOCKS],
        lambda line: line.closest(_CODE_HOLDER_SELECTOR),
    ):
        if holder is not None:
            _join_code_lines(holder, list(group))


def _replace_signature(signature: Element) -> None:
    """Replace a signature in table cells with a line of code."""
    cells = (cell.text for cell in signature.find_all("td"))
    line = _LOOSE_BLANK_PATTERN.sub("", " ".join(" ".join(cells).split()))
    target = signature.closest(_LABELLED_SELECTOR)
    if target is None or target.parent is None:
        target = signature
    labels = ", ".join(label.text.strip() for label in target.select(".mlabel"))
    # Wrap it in <code>: a long bare <pre> would count as prose.
    block, code = Element("pre"), Element("code")
    code.append(Text(f"{line} [{labels}]" if labels else line))
    block.append(code)
    target.replace_with(block)


def _join_code_lines(holder: Element, lines: list[Element]) -> None:
    # No-break spaces stand for blanks that HTML would collapse.
    texts = (line.text.strip("\n").replace("\u00a0", " ") for line in lines)
    text, block_above = Text("\n".join(texts)), holder.closest("pre")
    if block_above is not None:
        block_above.clear()
        block_above.append(text)
    else:
        block = Element("pre")
        block.append(text)
        holder.replace_with(block)


def _make_code_block(code: Element) -> None:
    """Turn inline code with line breaks into a block."""
    for broken in code.find_all("br"):
        broken.replace_with(Text("\n"))
    code.wrap(Element("pre"))
