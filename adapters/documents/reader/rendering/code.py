"""Code: which blocks are any, in what language, and links in the line."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from turbohtml import Element, Text

_LANGUAGES: Final = (
    "asm bash batch c c# c++ clojure cmake cmd console cpp cs csharp css dart diff django docker "
    "dockerfile elixir erlang fish fsharp go golang graphql groovy haskell hcl hs html http ini "
    "ipython java javascript jinja js json jsx julia kotlin latex less lua make makefile markdown "
    "matlab md nginx nim objectivec ocaml perl php plsql powershell protobuf ps1 py pycon pytb "
    "python python3 r rb rs ruby rust sass scala scss sh shell shellscript solidity sql svelte "
    "swift terraform tex toml ts tsx typescript vb vue wasm xml yaml yml zig zsh"
)
_KNOWN: Final = frozenset(_LANGUAGES.split())
_NONE: Final = frozenset(
    {"auto", "block", "box", "default", "example", "none", "plain", "plaintext", "text", "txt"}
)
# Such a name says the language, whatever it is called; the others say it where it is known.
_SAID: Final = re.compile(
    r"\b(?:language|lang|highlight-source|brush|sourceCode|src src)[-:]\s?([A-Za-z][\w+#.-]*)"
)
_WORDS: Final = re.compile(r"\b(?:highlight|code|sp)-([\w+#]+)")
_NAME: Final = re.compile(r"[A-Za-z][\w+#.-]{0,19}")
_NOT_CODE: Final = "h1,h2,h3,h4,h5,h6,p,ul,ol,table"
_PROSE: Final = 12
_ENDS: Final = (".", "!", "?", "…", "”", "。")
_MAX_CLASS_CHARS: Final = 500
_SAYING: Final = ("data-lang", "data-language", "data-enlighter-language")
# As Confluence tells its highlighter: "brush: java; gutter: false".
_TOLD: Final = "data-syntaxhighlighter-params"
# Around a block that stands in a table with its line numbers.
_WRAPPERS: Final = frozenset({"div", "figure", "table", "tbody", "td", "tr"})
_HIGHLIGHTED: Final = re.compile(r"\b(?:highlight|syntaxhighlighter|sourceCode)\b")
_MAX_ANCESTOR_STEPS: Final = 6


def name_code(root: Element) -> None:
    """Name the language of every block of code, and let prose set as code be prose."""
    for block in root.select("pre:not(pre pre)"):
        if block.select_one(_NOT_CODE) is not None or _is_prose(block):
            block.tag = "div"
        elif (language := _language(block)) is not None:
            block.attrs["class"] = f"language-{language}"


def _is_prose(block: Element) -> bool:
    """Tell a paragraph that was set as code, to keep its blanks, from code."""
    text = block.text.strip()
    told = text.endswith(_ENDS) and "\n" not in text and len(text.split()) > _PROSE
    return told and block.find("code") is None and block.find("br") is None


def _language(block: Element) -> str | None:
    """Return the language that a block, what is in it or what is around it says."""
    own = [element for element in (block.find("code"), block) if element is not None]
    names = (
        *(name for element in own for name in (*_said(element), *_bare(element))),
        *(name for element in _around(block) for name in (*_said(element), *_beside(element))),
    )
    return next((name for name in names if _NAME.fullmatch(name) and name not in _NONE), None)


def _around(block: Element) -> Iterator[Element]:
    """Yield two elements around a block, and those further out that only wrap it."""
    above = block.parent
    for steps in range(_MAX_ANCESTOR_STEPS):
        if not isinstance(above, Element):
            return
        if steps > 1 and (above.tag not in _WRAPPERS or len(above.find_all("pre", limit=2)) > 1):
            return
        yield above
        above = above.parent


def _said(element: Element) -> Iterator[str]:
    """Yield the languages that an element says by an attribute or by how a class begins."""
    for name in _SAYING:
        if (value := element.attr(name)) is not None:
            yield value.lower().removeprefix("lang-")
    names = f"{element.attr('class') or ''} {element.attr(_TOLD) or ''}"[:_MAX_CLASS_CHARS].strip()
    if names:
        yield from (name.lower() for name in _SAID.findall(names))
        yield from (name for name in _WORDS.findall(names.lower()) if is_language(name))


def _beside(element: Element) -> Iterator[str]:
    """Yield the languages among the classes of a box that says it is of highlighted code."""
    names = (element.attr("class") or "")[:_MAX_CLASS_CHARS]
    if _HIGHLIGHTED.search(names):
        yield from (name for name in names.lower().split() if is_language(name))


def is_language(name: str) -> bool:
    """Tell a language, or one in another: "html+django"."""
    return name in _KNOWN or ("+" in name and name.partition("+")[0] in _KNOWN)


def _bare(element: Element) -> Iterator[str]:
    """Yield the languages that stand among the classes of code, or that it is said to be in.

    What people speak is said by the same attribute.
    """
    said = f"{element.attr('lang') or ''} {element.attr('class') or ''}"
    words = said[:_MAX_CLASS_CHARS].lower().split()
    yield from (word for word in words if is_language(word))


def free_links(root: Element) -> None:
    """Let code in links stand for links in code, which markdown cannot say; in place."""
    if root.find("code") is None:
        return
    linked = (link.closest("code") for link in root.select("code a"))
    for code in dict.fromkeys(linked):
        if code is not None and code.closest("pre") is None:
            parts = list(_parts(code))
            code.clear()
            code.extend(parts)
            code.unwrap()


def _parts(code: Element) -> Iterator[Element | Text]:
    texts = (node for node in code.descendants if isinstance(node, Text))
    for link, group in groupby(texts, lambda text: text.closest("a")):
        said = "".join(text.data for text in group)
        words = said.strip()
        # Signs between links are no code: of "List<Name>" both words are.
        coded = any(map(str.isalnum, words)) or link is not None
        part: Element | Text = Element("code") if coded else Text(words)
        if isinstance(part, Element):
            part.append(Text(words))
        if link is not None:
            around = Element("a", {"href": link.attr("href") or ""})
            around.append(part)
            part = around
        yield Text(" " * said[:1].isspace())
        yield part
        yield Text(" " * said[-1:].isspace())
