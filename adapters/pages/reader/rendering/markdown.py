"""Render a tidied tree as markdown that hides nothing and loads nothing."""

import re
import unicodedata
from typing import Final

from turbohtml import Element, Markdown, Text

from ...text import absolute, unhide
from .cards import list_cards
from .code import name_code
from .definitions import mark_definitions
from .footnotes import set_footnotes, write_footnotes
from .lines import tidy_lines
from .lists import tidy_lists
from .maths import write_formulas
from .tables import tidy_tables

_STYLE: Final = Markdown(
    tables=Markdown.Tables(cell_blocks="text", header="detect"),
    images=Markdown.Images(mode="alt"),
    links=Markdown.Links(autolink=False),
    escaping=Markdown.Escaping(mode="minimal", underscores=False),
)
_SPACES: Final = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# The renderer writes odd blanks at the edge of a piece of text as numbers; those that the page
# itself shows as numbers are escaped, or stand in code.
_BLANK_NUMBER: Final = r"&#(?:160|5760|819[2-9]|820[0-2]|823[239]|8287|12288);"
_BLANK_INSIDE: Final = re.compile(rf"(`+).*?\1|(?<!\\){_BLANK_NUMBER}")
_BLANK_EDGES: Final = re.compile(
    rf"^([\s>#*+-]*(?:\d+[.)]\s+)?)(?:{_BLANK_NUMBER}\s*)+|(?:\s*{_BLANK_NUMBER})+$"
)
# The renderer writes what markdown cannot say as tags; those that the page itself shows are
# escaped, or stand in code.
_LEFT_TAGS: Final = re.compile(
    r"(?<!\\)(?:(`+).*?\1|(<br>)+|(</?(?:s|del)>)|</?(?:strong|em|b|i|code)>)"
)
_INFO: Final = "abcdefghijklmnopqrstuvwxyz0123456789_+#.-"
_MOST_LINES: Final = 100_000
_MARK: Final = re.compile(r"[-*+]|[0-9]{1,9}\.")
_LONGEST_MARK: Final = 10
# Items that are written with a sign of their own, and those that have one beside their mark.
_GLYPHS: Final = "•●▪◦‣"
_GLYPH: Final = re.compile(rf"^(\s*)(?:[-*+] )?[{_GLYPHS}]\s*(?=\S)")
_NOTHING: Final = frozenset({"#", "##", "###", "####", "#####", "######", "\\"})


def render(root: Element) -> tuple[str, int]:
    """Return the markdown of ``root`` and how many hiding characters were removed from it."""
    shown, removed = unhide(root.to_markdown(_STYLE))
    text = write_formulas(_SPACES.sub(" ", shown))
    if text.count("\n") <= _MOST_LINES:
        text = "\n".join(_tidy_lines(text))
    return write_footnotes(text.strip()), removed


def _tidy_lines(text: str) -> list[str]:
    """Drop marks that mark nothing, doubled rules and wide gaps, but not inside code."""
    lines: list[str] = []
    marks: list[str] = []
    fence = ""
    glyphs = any(sign in text for sign in _GLYPHS)
    for raw in text.split("\n"):
        line = raw.rstrip()
        bare = line.lstrip()
        if bare.startswith("```") and (not fence or bare == fence):
            fence = "" if fence else bare.rstrip(_INFO)
        elif not fence:
            line = _without_numbers(line) if "&#" in line else line
            line = _LEFT_TAGS.sub(_without_tag, line) if "<" in line else line
            line = _GLYPH.sub(r"\1- ", line) if glyphs else line
            if len(bare) <= _LONGEST_MARK and _MARK.fullmatch(bare):
                marks = [*(mark for mark in marks if len(mark) < len(line)), line]
                continue
            if _is_idle(line, lines) or (marks and not line):
                continue
        lines.append(_marked(line, marks) if marks else line)
        marks = []
    return lines


def _marked(line: str, marks: list[str]) -> str:
    """Put the marks of items that begin with empty parts before what stands in them first.

    Code begins on a line of its own: that is how its end is found.
    """
    blanks = len(line) - len(line.lstrip())
    if line.startswith("```", blanks):
        return "\n".join([*(mark for mark in marks if len(mark) < blanks), line])
    for mark in marks:
        if len(mark) < blanks:
            sign = mark.lstrip()
            line = f"{line[: len(mark) - len(sign)]}{sign}{line[len(mark) :]}"
    return line


def _without_numbers(line: str) -> str:
    """Write blanks as blanks, but not inside of code."""
    inside = _BLANK_EDGES.sub(r"\1", line)
    return _BLANK_INSIDE.sub(lambda match: match[0] if match[1] else " ", inside)


def _without_tag(found: re.Match[str]) -> str:
    if found[1]:
        return found[0]
    if found[3]:
        start = found.start()
        glued = found[3][1] != "/" and found.string[max(start - 1, 0) : start].isalnum()
        return " ~~" if glued else "~~"
    return " " if found[2] else ""


def _is_idle(line: str, before: list[str]) -> bool:
    if not line:
        return not before or not before[-1]
    if line == "---":
        return "---" in before[-2:]
    # A broken line of a quote, too.
    return line.strip(" >") in _NOTHING and line[-1] != ">"


# Make the tree fit for markdown: links absolute, tables plain, code named.

_BLOCKS_IN_LINK: Final = (
    "a:has(h1,h2,h3,h4,h5,h6,p,div,ul,ol,li,table,section,article,blockquote,pre,figure)"
)
_LINK_HOLDERS: Final = "h1,h2,h3,h4,h5,h6"
_GUTTERS: Final = (
    "td.linenos,td.gutter,td.lntd:has(.lnt),.linenodiv,.lineno,.lnt,.chroma .ln,"
    "pre .line-numbers-rows,pre .line-numbers,a.headerlink"
)
_DEEPEST_QUOTE: Final = 10
_INDENTED: Final = (
    "blockquote:has(> div:only-child > ul:only-child),"
    "blockquote:has(> div:only-child > ol:only-child)"
)
_ICON_LENGTH: Final = 8
_PERMALINKS: Final = frozenset(
    {"", "#", "¶", "§", "🔗", "link", "permalink", "↩", "↩\ufe0e", "↑", "^", "⤴", "jump up"}
)
_MOST_LINKS: Final = 20_000


def tidy(root: Element, base: str) -> int:
    """Tidy ``root`` in place; return how many links it has."""
    root.remove(_GUTTERS)
    set_footnotes(root)
    _unstyle(root)
    tidy_lines(root)
    tidy_tables(root)
    name_code(root)
    _flatten_quotes(root)
    list_cards(root)
    _open_cards(root)
    _part_buttons(root)
    tidy_lists(root)
    mark_definitions(root)
    return _tidy_links(root, base)


def _unstyle(root: Element) -> None:
    """Let only ``pre`` be code: the renderer also takes a style of pre-wrap for it."""
    for element in [root, *root.select("[style*='white-space' i]")]:
        element.attrs.pop("style", None)


def _part_buttons(root: Element) -> None:
    """Let the words of buttons that stand beside each other not run together."""
    for button in root.find_all("button"):
        button.insert_after(Text(" "))


def _tidy_links(root: Element, base: str) -> int:
    count = 0
    for link in root.find_all("a"):
        label = _label(link)
        target = link.attr("href")
        address = absolute(target, base) if target and count < _MOST_LINKS else None
        if not label or (target and "#" in target and label.lower() in _PERMALINKS):
            link.decompose()
        elif address is None:
            link.unwrap()
        else:
            _point(link, address)
            count += 1
    return count


def _label(link: Element) -> str:
    """Return the words of a link; characters that hide and icons of a font are none."""
    label = link.text.strip()
    if len(label) > _ICON_LENGTH or label.isascii():
        return label
    return "".join(sign for sign in unhide(label)[0] if not _is_icon(sign)).strip()


def _is_icon(sign: str) -> bool:
    return unicodedata.category(sign) == "Co"


def _point(link: Element, address: str) -> None:
    attributes = link.attrs
    attributes["href"] = address
    if "title" in attributes:
        del attributes["title"]


def _open_cards(root: Element) -> None:
    """Let a link around whole blocks be a link on their heading, or on their first words."""
    for link in root.select(_BLOCKS_IN_LINK):
        target = link.attr("href")
        holder = link.select_one(_LINK_HOLDERS) or _first_words(link)
        if target and holder is not None and holder.find("a") is None:
            holder.wrap_children(Element("a", {"href": target}))
        link.unwrap()


def _first_words(link: Element) -> Element | None:
    for node in link.descendants:
        if isinstance(node, Text) and not node.data.isspace():
            parent = node.parent
            return parent if isinstance(parent, Element) and parent is not link else None
    return None


def _flatten_quotes(root: Element) -> None:
    """Let quotes in quotes end somewhere: each level is a mark on every line below it.

    What only indents a list is no quote.
    """
    for quoted in root.select(_INDENTED):
        quoted.tag = "div"
    if len(root.find_all("blockquote", limit=_DEEPEST_QUOTE)) == _DEEPEST_QUOTE:
        for quote in root.select(" ".join(["blockquote"] * _DEEPEST_QUOTE)):
            quote.tag = "div"
