"""Render a tidied tree as markdown that hides nothing and loads nothing."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from turbohtml import Element, Markdown, Node, Text

from ....pages.safe_text import strip_hidden
from .box_tables import set_grids
from .cards import list_cards
from .code import free_links, is_language, name_code
from .code_lines import set_code_lines
from .footnotes import SIGN, set_footnotes, write_footnotes
from .formula_rendering import write_formulas, write_typed
from .inline_markup import tidy_lines
from .links import tidy_links, unwrap_card_links
from .list_tidying import mark_definitions, tidy_lists
from .table_tidying import tidy_tables

_TAGGED: Final = re.compile(r"(?=[`<])(?<!\\)(?:(`+).*?\1|<(strong|em|b|i)>([^<]*)</\2>)")
_MARKS: Final = {"b": "**", "em": "*", "i": "*", "strong": "**"}
# Beside another mark, or a tag that may become one, both would be read as one.
_OTHER_MARKS: Final = frozenset("*<>")


def write_emphasis(line: str) -> str:
    """Return a line with marks for tags of emphasis, but not in code.

    >>> write_emphasis("Die <strong>Größe</strong> und <em>“q”</em>s und `<em>é</em>`")
    'Die **Größe** und <em>“q”</em>s und `<em>é</em>`'
    """
    return _TAGGED.sub(_emphasis_marked, line)


def _emphasis_marked(found: re.Match[str]) -> str:
    words = found[3].strip() if found[2] else ""
    if not words:
        return found[0]
    mark, (lead, tail) = _MARKS[found[2]], found[3].split(words, 1)
    before = lead[-1:] or found.string[: found.start()][-1:]
    after = tail[:1] or found.string[found.end() : found.end() + 1]
    if not (_opens(before, words[0]) and _opens(after, words[-1])):
        return found[0]
    return f"{lead}{mark}{words}{mark}{tail}"


def _opens(outside: str, inside: str) -> bool:
    """Tell whether a mark between two characters holds; at the end of a line there is none."""
    if outside in _OTHER_MARKS or inside in _OTHER_MARKS:
        return False
    return not _is_sign(inside) or not outside.strip() or _is_sign(outside)


def _is_sign(character: str) -> bool:
    return character == SIGN or unicodedata.category(character)[0] in "PS"


# Tags of old, written as those that say the same today: the renderer does not know them.

_NEW_TAGS: Final = {"center": "div", "dir": "ul"}
_TYPED: Final = "tt"
_OLD: Final = (*_NEW_TAGS, _TYPED)
_MAX_CENTRED_CHARS: Final = 80


def modernise_tags(root: Element) -> None:
    """Rename old tags, in place: a centred line is one of its own, what is typed is code."""
    for element in list(root.iter_elements(_OLD)):
        if element.tag != _TYPED:
            element.tag = _NEW_TAGS[element.tag]
        elif _is_code(element):
            element.tag = "code"


def _is_code(typed: Element) -> bool:
    """Tell a word or two of code from a text that is only set so."""
    nodes = typed.children
    if len(nodes) != 1 or not isinstance(nodes[0], Text) or typed.closest("pre,code") is not None:
        return False
    return 0 < len(nodes[0].data.strip()) <= _MAX_CENTRED_CHARS


# What is said twice, once to those who look and once to those who listen.

_SEEN: Final = ":is(span,del,ins)[aria-hidden=true]"
_HEARD: Final = re.compile(r"off-?screen|visually-?hidden|screen-?reader|\bsr\b", re.IGNORECASE)
_MAX_COPIES: Final = 2_000
_MAX_PRICE_CHARS: Final = 60
_MAX_SIBLING_STEPS: Final = 3


def drop_screen_reader_copies(root: Element) -> None:
    """Take out a price for those who listen beside the same one for those who look, in place."""
    for seen in root.select(_SEEN)[:_MAX_COPIES]:
        if amount := _amount(seen):
            heard = _heard(seen)
            if heard is not None and _amount(heard) == amount:
                heard.decompose()


def _amount(element: Element) -> str:
    """Return the digits of a short text."""
    text = element.text
    return "".join(filter(str.isdigit, text)) if len(text) <= _MAX_PRICE_CHARS else ""


def _heard(seen: Element) -> Element | None:
    """Return what stands right behind for those who listen, or else right before."""
    for beside in (seen.next_siblings, seen.previous_siblings):
        first = next(
            (one for one in islice(beside, _MAX_SIBLING_STEPS) if isinstance(one, Element)), None
        )
        if first is not None and _HEARD.search(first.attr("class") or ""):
            return first
    return None


# Render a tidied tree as markdown that hides nothing and loads nothing.

_STYLE: Final = Markdown(
    tables=Markdown.Tables(cell_blocks="text", header="detect"),
    images=Markdown.Images(mode="alt"),
    links=Markdown.Links(autolink=False),
    escaping=Markdown.Escaping(mode="minimal", underscores=False),
)
# The renderer writes what markdown cannot say as tags; those that the page itself shows are
# escaped, or stand in code.
_LEFT_TAGS: Final = re.compile(
    r"(?=[`<])(?<!\\)(?:(`+).*?\1|(<br>)+|(</?(?:s|del)>)|</?(?:strong|em|b|i|code)>)"
)
_INFO: Final = "abcdefghijklmnopqrstuvwxyz0123456789_+#.-"
_MAX_LINES: Final = 100_000
# A break right behind the mark of an item is none, and the mark of an empty heading marks nothing.
_BEHIND_MARK: Final = " #\\"
_MARK: Final = re.compile(r"(?:[-*+]|[0-9]{1,9}\.)(?: \\| #{1,6})?")
_MAX_MARK_CHARS: Final = 12
# Items that are written with a sign of their own, and those that have one beside their mark.
_GLYPHS: Final = "•●▪◦‣"
_GLYPH: Final = re.compile(rf"^(\s*)(?:[-*+] )?[{_GLYPHS}]\s*(?=\S)")
# The renderer takes a number for that of an item, also where no blank follows its dot.
_DECIMAL: Final = re.compile(r"^([\s>]*(?:(?:[-*+]|\d+[.)]) +)*\d+)\\\.(?=\S)")
_TICK: Final = re.compile(r"^(\s*(?:[-*+]|\d+\.) )\\\[([ x])\\\](?= )")
_PARTING: Final = frozenset({"", "---"})
_IDLE_ENDS: Final = frozenset({"", " ", "#", "-", ">"})
_NOTHING: Final = frozenset({"#", "##", "###", "####", "#####", "######"})


def render_markdown(root: Element) -> tuple[str, int]:
    """Return the markdown of ``root`` and how many hiding characters were removed from it."""
    shown, removed = strip_hidden(root.to_markdown(_STYLE))
    text = shown
    if text.count("\n") <= _MAX_LINES:
        text = "\n".join(_without_outer_rules(_tidy_lines(text)))
    return write_footnotes(write_formulas(text).strip()), removed


def _without_outer_rules(lines: list[str]) -> list[str]:
    """Let no line part the text from nothing."""
    first, last = 0, len(lines)
    while first < last and lines[first] in _PARTING:
        first += 1
    while last > first and lines[last - 1] in _PARTING:
        last -= 1
    return lines[first:last]


def _tidy_lines(text: str) -> list[str]:  # noqa: C901  calls for each line take longer than it does
    """Drop marks that mark nothing, doubled rules and wide gaps, but not inside code."""
    lines: list[str] = []
    marks: list[str] = []
    fence = ""
    fences = "```" in text
    writers = [write for signs, write in _WRITERS if any(sign in text for sign in signs)]
    for raw in text.split("\n"):
        # Every other line is blank.
        if not raw and not fence:
            if lines and lines[-1] and not marks:
                lines.append("")
            continue
        line = raw.rstrip()
        bare = line.lstrip()
        if fences and bare.startswith("```") and (not fence or bare == fence):
            line = _closing(line, lines) if fence else _labelled(line, lines)
            fence = "" if fence else bare.rstrip(_INFO)
        elif not fence:
            for write in writers:
                line = write(line)
            if 0 < len(bare) <= _MAX_MARK_CHARS and _MARK.fullmatch(bare):
                line = line.rstrip(_BEHIND_MARK)
                marks = [*(mark for mark in marks if len(mark) < len(line)), line]
                continue
            if line[-1:] in _IDLE_ENDS and ((marks and not line) or _is_idle(line, lines)):
                continue
        lines.append(_marked(line, marks) if marks else line)
        marks = []
    return lines


def _closing(fence: str, before: list[str]) -> str:
    """Let code end with its last line."""
    while before and not before[-1]:
        before.pop()
    return fence


def _labelled(fence: str, before: list[str]) -> str:
    """Take the name of a language right over its code for what it is, and the label away."""
    label = before[-2].strip().lower() if len(before) > 1 and not before[-1] else ""
    bare = fence.lstrip()
    language = bare.lstrip("`")
    if not label or label != (language or label) or not is_language(label):
        return fence
    del before[-2:]
    return fence if language else f"{fence}{label}"


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


def _without_tags(line: str) -> str:
    if "<" not in line:
        return line
    return _LEFT_TAGS.sub(_without_tag, write_emphasis(line))


def _without_tag(found: re.Match[str]) -> str:
    if found[1]:
        return found[0]
    if found[3]:
        start = found.start()
        glued = found[3][1] != "/" and found.string[max(start - 1, 0) : start].isalnum()
        return " ~~" if glued else "~~"
    return " " if found[2] else ""


def _without_glyph(line: str) -> str:
    return _GLYPH.sub(r"\1- ", line) if _GLYPH.match(line) else line


def _with_decimal(line: str) -> str:
    return _DECIMAL.sub(r"\1.", line) if "\\." in line else line


def _with_tick(line: str) -> str:
    return _TICK.sub(r"\1[\2]", line) if "\\[" in line else line


def _with_formulas(line: str) -> str:
    return write_typed(line) if "$" in line or "\\\\" in line else line


def _without_break(line: str) -> str:
    """Take away the second of two breaks in a row: they part paragraphs."""
    return line[:-1].rstrip() if line.endswith("\\") and line.strip(" >") == "\\" else line


# What is written otherwise in a line of text, and the signs without which there is nothing to do.
_WRITERS: Final[tuple[tuple[tuple[str, ...], Callable[[str], str]], ...]] = (
    (("<",), _without_tags),
    (tuple(_GLYPHS), _without_glyph),
    (("\\.",), _with_decimal),
    (("\\[",), _with_tick),
    (("$", "\\\\"), _with_formulas),
    (("\\",), _without_break),
)


def _is_idle(line: str, before: list[str]) -> bool:
    if not line.strip(" >"):
        return not before or before[-1] == line
    if line == "---":
        return "---" in before[-2:]
    return line[-1] in "# " and line.strip(" >") in _NOTHING


_MARKERS: Final = (
    "a.headerlink,span.mw-editsection,div.bbCodeBlock-expandLink,.quoteContainer > .quoteExpand"
)
# Of code: to look for them on every page would take long.
_GUTTERS: Final = (
    "td.linenos,td.gutter,td.lntd:has(.lnt),.linenodiv,.lineno,.lnt,.chroma .ln,pre .linenos,"
    "pre .line-numbers-rows,pre .line-numbers:not(code),pre [class$=line-no],"
    ".code-toolbar > .toolbar,"
    # Lines of an example that mdBook and rustdoc need to compile it, and do not show.
    "pre .boring"
)
_BOLD_HEADS: Final = ":is(h1,h2,h3,h4,h5,h6,th) :is(b,strong)"
_BLOCKS: Final = ("blockquote", "dl", "ol", "pre", "table", "ul")
_NOT_IN_HEADINGS: Final = ",".join(_BLOCKS)
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_MAX_QUOTE_DEPTH: Final = 10
_INDENTED: Final = (
    "blockquote:has(> div:only-child > ul:only-child),"
    "blockquote:has(> div:only-child > ol:only-child)"
)


def tidy_tree(root: Element, base: str) -> int:
    """Tidy ``root`` in place; return how many links it has."""
    root.remove(_MARKERS)
    drop_screen_reader_copies(root)
    modernise_tags(root)
    if root.find("pre") is not None or root.find("code") is not None:
        root.remove(_GUTTERS)
    set_footnotes(root, base)
    _unstyle(root)
    set_code_lines(root)
    _free_blocks(root)
    set_grids(root)
    tidy_lines(root)
    tidy_tables(root)
    _unmark_heads(root)
    name_code(root)
    _flatten_quotes(root)
    list_cards(root)
    unwrap_card_links(root)
    _part_buttons(root)
    tidy_lists(root)
    mark_definitions(root)
    count = tidy_links(root, base)
    free_links(root)
    return count


def _unstyle(root: Element) -> None:
    """Let only ``pre`` be code: the renderer also takes a style of pre-wrap for it."""
    for element in [root, *root.select("[style*='white-space' i]")]:
        element.attrs.pop("style", None)


def _unmark_heads(root: Element) -> None:
    """Let bold words in headings and in heads of tables be plain: the place is emphasis enough."""
    for bold in root.select(_BOLD_HEADS):
        bold.unwrap()


def _free_blocks(root: Element) -> None:
    """Let lists, tables and code in a heading follow it: its one line has no room for them."""
    headings = list(root.iter_elements(_HEADINGS))
    for heading in [one for one in headings if one.select_one(_NOT_IN_HEADINGS) is not None]:
        for block in reversed(list(_outermost_blocks(heading))):
            heading.insert_after(block)


def _outermost_blocks(heading: Element) -> Iterator[Element]:
    """Yield the blocks in a heading that are in none other; what is in them is not looked at."""
    waiting: list[Node] = [heading]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Element) and node.tag in _BLOCKS:
            yield node
        else:
            waiting += reversed(list(node.children))


def _part_buttons(root: Element) -> None:
    """Let the words of buttons and labels that stand beside each other not run together."""
    for button in list(root.iter_elements(("button", "label"))):
        button.insert_after(Text(" "))


def _flatten_quotes(root: Element) -> None:
    """Let quotes in quotes end somewhere: each level is a mark on every line below it.

    What only indents a list is no quote.
    """
    if root.find("blockquote") is None:
        return
    _drop_silent_quotes(root)
    for quoted in root.select(_INDENTED):
        quoted.tag = "div"
    if len(root.find_all("blockquote", limit=_MAX_QUOTE_DEPTH)) == _MAX_QUOTE_DEPTH:
        for quote in root.select(" ".join(["blockquote"] * _MAX_QUOTE_DEPTH)):
            quote.tag = "div"


def _drop_silent_quotes(root: Element) -> None:
    """Take out quotes of nothing but a picture, which is told of beside the text."""
    for quoted in root.find_all("blockquote"):
        if not quoted.text.strip():
            quoted.decompose()
