"""Tidy code: tell it from prose, name its language, and split links in inline code."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from typing import Final

from turbohtml import Element, Text

from ..removals import Removals, text_nodes

_LANGUAGE_LIST: Final = (
    "asm bash batch c c# c++ clojure cmake cmd console cpp cs csharp css dart diff django docker "
    "dockerfile elixir erlang fish fsharp go golang graphql groovy haskell hcl hs html http ini "
    "ipython java javascript jinja js json jsx julia kotlin latex less lua make makefile markdown "
    "matlab md nginx nim objectivec ocaml perl php plsql powershell protobuf ps1 py pycon pytb "
    "python python3 r rb rs ruby rust sass scala scss sh shell shellscript solidity sql svelte "
    "swift terraform tex toml ts tsx typescript vb vue wasm xml yaml yml zig zsh"
)
_LANGUAGE_NAMES: Final = frozenset(_LANGUAGE_LIST.split())
_NOT_LANGUAGE_NAMES: Final = frozenset(
    {"auto", "block", "box", "default", "example", "none", "plain", "plaintext", "text", "txt"}
)
# After these prefixes any name is a language; after the others only a registered one is.
_STRONG_PREFIX_PATTERN: Final = re.compile(
    r"\b(?:language|lang|highlight-source|brush|sourceCode|src src)[-:]\s?([A-Za-z][\w+#.-]*)"
)
_WEAK_PREFIX_PATTERN: Final = re.compile(r"\b(?:highlight|code|sp)-([\w+#]+)")
_LANGUAGE_NAME_PATTERN: Final = re.compile(r"[A-Za-z][\w+#.-]{0,19}")
_MAX_CLASS_CHARS: Final = 500
_LANGUAGE_ATTRIBUTES: Final = ("data-lang", "data-language", "data-enlighter-language")
# Confluence configures its highlighter with "brush: java; gutter: false".
_HIGHLIGHTER_ATTRIBUTE: Final = "data-syntaxhighlighter-params"
# Elements around a block in a table with line numbers.
_WRAPPER_TAGS: Final = frozenset({"div", "figure", "table", "tbody", "td", "tr"})
_HIGHLIGHT_CLASS_PATTERN: Final = re.compile(r"\b(?:highlight|syntaxhighlighter|sourceCode)\b")
_MAX_ANCESTOR_STEPS: Final = 6
# GitHub, highlight.js with line numbers, SyntaxHighlighter, Crayon.
_LINE_SELECTOR: Final = (
    "td.blob-code,td.hljs-ln-code,.syntaxhighlighter .container > div.line,div.crayon-line"
)
_LINE_HOLDER_SELECTOR: Final = "table,.container,.crayon-pre"
_MAX_LINES: Final = 20_000
_MAX_NUMBER_DIGITS: Final = 7


def name_code_languages(root: Element) -> None:
    """Set the language class of every code block."""
    for block in root.select("pre:not(pre pre)"):
        if (language := _block_language(block)) is not None:
            block.attrs["class"] = f"language-{language}"


def _block_language(block: Element) -> str | None:
    """Return the language that a block, its inner code or its ancestors declare."""
    own = (element for element in (block.find("code"), block) if element is not None)
    names = chain(
        *(_declared_languages(element, is_code=True) for element in own),
        *(_declared_languages(element, is_code=False) for element in _block_ancestors(block)),
    )
    return next(
        (
            name
            for name in names
            if _LANGUAGE_NAME_PATTERN.fullmatch(name) and name not in _NOT_LANGUAGE_NAMES
        ),
        None,
    )


def _block_ancestors(block: Element) -> Iterator[Element]:
    """Yield two ancestors of a block, and further ones that only wrap it."""
    above = block.parent
    for steps in range(_MAX_ANCESTOR_STEPS):
        if not isinstance(above, Element):
            return
        if steps > 1 and (
            above.tag not in _WRAPPER_TAGS or len(above.find_all("pre", limit=2)) > 1
        ):
            return
        yield above
        above = above.parent


def _declared_languages(element: Element, *, is_code: bool) -> Iterator[str]:
    """Yield the languages that an attribute, a class prefix or a class of an element declares.

    The classes of a box count where it has highlighted code. ``lang`` may be a human language.
    """
    for name in _LANGUAGE_ATTRIBUTES:
        if (value := element.attr(name)) is not None:
            yield value.lower().removeprefix("lang-")
    classes = (element.attr("class") or "")[:_MAX_CLASS_CHARS]
    names = f"{classes} {element.attr(_HIGHLIGHTER_ATTRIBUTE) or ''}"[:_MAX_CLASS_CHARS]
    yield from (name.lower() for name in _STRONG_PREFIX_PATTERN.findall(names))
    yield from filter(is_code_language, _WEAK_PREFIX_PATTERN.findall(names.lower()))
    if is_code or _HIGHLIGHT_CLASS_PATTERN.search(classes):
        language = element.attr("lang") or "" if is_code else ""
        yield from filter(is_code_language, f"{language} {classes}".lower().split())


def is_code_language(name: str) -> bool:
    """Tell whether a name is a language, or one inside another: "html+django"."""
    return name in _LANGUAGE_NAMES or ("+" in name and name.partition("+")[0] in _LANGUAGE_NAMES)


def split_linked_code(root: Element) -> None:
    """Replace links inside code with code inside links, in place: markdown only has the latter."""
    for code in dict.fromkeys(link.closest("code") for link in root.select("code a")):
        if code is not None and code.closest("pre") is None:
            # Punctuation between links is not code: in "List<Name>" only both words are.
            texts = [text for text in code.descendants if isinstance(text, Text)]
            for text in texts:
                if any(map(str.isalnum, text.data)):
                    text.wrap(Element("code"))
            code.unwrap()


def tidy_code_blocks(root: Element, removals: Removals) -> None:
    """Join lines of code in separate boxes into one block, and drop their numbers, in place."""
    lines = root.select(_LINE_SELECTOR)[:_MAX_LINES]
    for holder, group in groupby(lines, lambda line: line.closest(_LINE_HOLDER_SELECTOR)):
        if holder is not None:
            _make_code_block(holder, group, removals)
    _join_code_pieces(root, removals)
    for code in root.select("code:has(> br):not(pre code)"):
        for line_break in code.find_all("br"):
            line_break.replace_with(Text("\n"))
        _make_code_block(code, [code], removals)
    _drop_number_cells(root, removals)
    for block in root.find_all("pre"):
        _drop_line_numbers(block, removals)


def _drop_number_cells(root: Element, removals: Removals) -> None:
    """Drop the cells that count the lines of the code beside them."""
    for cell in root.select("td:has(+ td pre)") if root.find("pre") is not None else ():
        numbers = " ".join(cell.strings).split()
        if (len(numbers) > 1 or cell.find("pre") is not None) and _are_consecutive(numbers):
            removals.take("margins", cell)
            cell.decompose()


def _join_code_pieces(root: Element, removals: Removals) -> None:
    """Join boxes that each hold nothing but pieces of code: they are the lines of one block."""
    pieces = root.select("div > div > code + code")[:_MAX_LINES]
    for holder in dict.fromkeys(piece.closest("div:has(> div > code)") for piece in pieces):
        boxes = [box for box in holder.children if isinstance(box, Element)] if holder else []
        nodes = [node for box in boxes for node in box.children if node.text.strip()]
        if holder is not None and all(getattr(node, "tag", "") == "code" for node in nodes):
            _make_code_block(holder, boxes, removals)


def _make_code_block(holder: Element, lines: Iterable[Element], removals: Removals) -> None:
    lines = list(lines)
    # No-break spaces stand for blanks that HTML would collapse.
    texts = [line.text.strip("\n").replace("\u00a0", " ") for line in lines]
    block = holder.closest("pre") or holder
    code = {node for line in lines for node in text_nodes(line)}
    for node in text_nodes(block):
        if node not in code:
            removals.take_text("margins", node)
    block.set_text("\n".join(texts))
    block.tag = "pre"


def _drop_line_numbers(block: Element, removals: Removals) -> None:
    """Drop the elements at the starts of the lines of a block if they count all its lines."""
    numbers, is_line_start = list[Text](), True
    for node in block.descendants:
        if isinstance(node, Text) and node.data:
            digits = node.data.strip()
            is_short = len(digits) < _MAX_NUMBER_DIGITS and digits.isdecimal()
            if is_line_start and is_short and node.parent is not block:
                numbers.append(node)
            is_line_start = node.data.endswith("\n")
    line_count = block.text.strip("\n").count("\n") + 1
    if 1 < len(numbers) == line_count and _are_consecutive(
        [number.data.strip() for number in numbers]
    ):
        for number in numbers:
            removals.take_lines("margins", [number.data.strip()], [number.data])
            number.data = ""


def _are_consecutive(numbers: list[str]) -> bool:
    """Tell whether these are numbers that follow each other."""
    are_short = all(len(text) < _MAX_NUMBER_DIGITS and text.isdecimal() for text in numbers)
    counted = list(map(int, numbers)) if are_short else []
    return bool(counted) and counted == [*range(counted[0], counted[0] + len(counted))]
