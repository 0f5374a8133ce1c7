"""Tidy code: tell it from prose, name its language, and split links in inline code."""

import re
from collections.abc import Iterator
from itertools import chain, groupby
from typing import Final

from turbohtml import Element, Text

_LANGUAGE_LIST: Final = (
    "asm bash batch c c# c++ clojure cmake cmd console cpp cs csharp css dart diff django docker "
    "dockerfile elixir erlang fish fsharp go golang graphql groovy haskell hcl hs html http ini "
    "ipython java javascript jinja js json jsx julia kotlin latex less lua make makefile markdown "
    "matlab md nginx nim objectivec ocaml perl php plsql powershell protobuf ps1 py pycon pytb "
    "python python3 r rb rs ruby rust sass scala scss sh shell shellscript solidity sql svelte "
    "swift terraform tex toml ts tsx typescript vb vue wasm xml yaml yml zig zsh"
)
_LANGUAGE_NAMES: Final = frozenset(_LANGUAGE_LIST.split())
_NO_LANGUAGES: Final = frozenset(
    {"auto", "block", "box", "default", "example", "none", "plain", "plaintext", "text", "txt"}
)
# After these prefixes any name is a language; after the others only a registered one is.
_STRONG_PATTERN: Final = re.compile(
    r"\b(?:language|lang|highlight-source|brush|sourceCode|src src)[-:]\s?([A-Za-z][\w+#.-]*)"
)
_WEAK_PATTERN: Final = re.compile(r"\b(?:highlight|code|sp)-([\w+#]+)")
_NAME_PATTERN: Final = re.compile(r"[A-Za-z][\w+#.-]{0,19}")
_NOT_CODE_SELECTOR: Final = "h1,h2,h3,h4,h5,h6,p,ul,ol,table"
_MAX_CLASS_CHARS: Final = 500
_LANGUAGE_ATTRIBUTES: Final = ("data-lang", "data-language", "data-enlighter-language")
# Confluence configures its highlighter with "brush: java; gutter: false".
_HIGHLIGHTER_ATTRIBUTE: Final = "data-syntaxhighlighter-params"
# Elements around a block in a table with line numbers.
_WRAPPERS: Final = frozenset({"div", "figure", "table", "tbody", "td", "tr"})
_HIGHLIGHT_CLASS_PATTERN: Final = re.compile(r"\b(?:highlight|syntaxhighlighter|sourceCode)\b")
_MAX_ANCESTOR_STEPS: Final = 6


def name_code_languages(root: Element) -> None:
    """Set the language class of every code block; a ``pre`` with other blocks is a ``div``."""
    for block in root.select("pre:not(pre pre)"):
        if block.select_one(_NOT_CODE_SELECTOR) is not None:
            block.tag = "div"
        elif (language := _code_language(block)) is not None:
            block.attrs["class"] = f"language-{language}"


def _code_language(block: Element) -> str | None:
    """Return the language that a block, its inner code or its ancestors declare."""
    own = (element for element in (block.find("code"), block) if element is not None)
    names = chain(
        *(_declared_languages(element, is_code=True) for element in own),
        *(_declared_languages(element, is_code=False) for element in _code_ancestors(block)),
    )
    return next(
        (name for name in names if _NAME_PATTERN.fullmatch(name) and name not in _NO_LANGUAGES),
        None,
    )


def _code_ancestors(block: Element) -> Iterator[Element]:
    """Yield two ancestors of a block, and further ones that only wrap it."""
    above = block.parent
    for steps in range(_MAX_ANCESTOR_STEPS):
        if not isinstance(above, Element):
            return
        if steps > 1 and (above.tag not in _WRAPPERS or len(above.find_all("pre", limit=2)) > 1):
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
    yield from (name.lower() for name in _STRONG_PATTERN.findall(names))
    yield from filter(is_code_language, _WEAK_PATTERN.findall(names.lower()))
    if is_code or _HIGHLIGHT_CLASS_PATTERN.search(classes):
        language = element.attr("lang") or "" if is_code else ""
        yield from filter(is_code_language, f"{language} {classes}".lower().split())


def is_code_language(name: str) -> bool:
    """Tell whether a name is a language, or one inside another: "html+django"."""
    return name in _LANGUAGE_NAMES or ("+" in name and name.partition("+")[0] in _LANGUAGE_NAMES)


def split_linked_code(root: Element) -> None:
    """Replace links inside code with code inside links, in place: markdown only has the latter."""
    if root.find("code") is None:
        return
    linked = (link.closest("code") for link in root.select("code a"))
    for code in dict.fromkeys(linked):
        if code is not None and code.closest("pre") is None:
            parts = list(_split_linked_code(code))
            code.clear()
            code.extend(parts)
            code.unwrap()


def _split_linked_code(code: Element) -> Iterator[Element | Text]:
    texts = (node for node in code.descendants if isinstance(node, Text))
    for link, group in groupby(texts, lambda text: text.closest("a")):
        text = "".join(text.data for text in group)
        stripped = text.strip()
        # Punctuation between links is not code: in "List<Name>" only both words are.
        is_code = any(map(str.isalnum, stripped)) or link is not None
        part: Element | Text = Element("code") if is_code else Text(stripped)
        if isinstance(part, Element):
            part.append(Text(stripped))
        if link is not None:
            link_part = Element("a", {"href": link.attr("href") or ""})
            link_part.append(part)
            part = link_part
        yield Text(" " * text[:1].isspace())
        yield part
        yield Text(" " * text[-1:].isspace())


# GitHub, highlight.js with line numbers, SyntaxHighlighter, Crayon.
_CODE_LINE_SELECTOR: Final = (
    "td.blob-code,td.hljs-ln-code,.syntaxhighlighter .container > .line,.crayon-line"
)
_CODE_HOLDER_SELECTOR: Final = "table,.container,.crayon-pre"
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
    for holder, group in groupby(
        root.select(_CODE_LINE_SELECTOR)[:_MAX_CODE_BLOCKS],
        lambda line: line.closest(_CODE_HOLDER_SELECTOR),
    ):
        if holder is not None:
            _join_code_lines(holder, list(group))


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
