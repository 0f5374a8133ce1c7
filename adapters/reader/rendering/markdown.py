"""Render a tidied tree as markdown that hides nothing and loads nothing."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from turbohtml import Element, Markdown, Text

from webseam.ports.pages import LeftOutKind

from ...pages.safe_text import strip_hidden
from ..removals import Removals
from .code import is_code_language, name_code_languages, split_linked_code, tidy_code_blocks
from .footnotes import NOTE_SIGN, mark_footnotes, write_footnotes
from .formula_rendering import TYPED_FORMULA_PATTERN, unescape_typed_tex, write_formulas
from .inline_markup import tidy_inline_markup, tidy_links, unwrap_card_links
from .list_tidying import mark_definitions, tidy_lists
from .table_tidying import tidy_tables

_EMPHASIS_TAG_PATTERN: Final = re.compile(
    r"(?=[`<])(?<!\\)(?:(`+).*?\1|<(strong|em|b|i)>([^<]*)</\2>)"
)
_EMPHASIS_MARKS: Final = {"b": "**", "em": "*", "i": "*", "strong": "**"}
# Next to another mark, or a tag that may become one, markdown would read both as one.
_CLASHING_CHARS: Final = frozenset("*<>")


def _replace_emphasis_tag(match: re.Match[str]) -> str:
    """Write emphasis as marks where markdown accepts them; code stays as it is."""
    inner = match[3].strip() if match[2] else ""
    if not inner:
        return match[0]
    mark, (lead, tail) = _EMPHASIS_MARKS[match[2]], match[3].split(inner, 1)
    before = lead[-1:] or match.string[: match.start()][-1:]
    after = tail[:1] or match.string[match.end() : match.end() + 1]
    if not (_allows_emphasis_mark(before, inner[0]) and _allows_emphasis_mark(after, inner[-1])):
        return match[0]
    return f"{lead}{mark}{inner}{mark}{tail}"


def _allows_emphasis_mark(outside: str, inside: str) -> bool:
    """Tell whether markdown accepts an emphasis mark between two characters."""
    if outside in _CLASHING_CHARS or inside in _CLASHING_CHARS:
        return False
    return not _is_punctuation(inside) or not outside.strip() or _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return character == NOTE_SIGN or unicodedata.category(character)[0] in "PS"


# The renderer does not know these obsolete tags.
_NEW_TAGS: Final = {"center": "div", "dir": "ul", "tt": "code"}
_MAX_INLINE_CODE_CHARS: Final = 80


def modernise_tags(root: Element) -> None:
    """Rename obsolete tags, in place; a ``tt`` only where it is a short piece of code."""
    for element in list(root.iter_elements(tuple(_NEW_TAGS))):
        is_code = 0 < len(
            element.text.strip()
        ) <= _MAX_INLINE_CODE_CHARS and not element.select_one("*")
        if element.tag != "tt" or (is_code and element.closest("pre,code") is None):
            element.tag = _NEW_TAGS[element.tag]


_RENDER_STYLE: Final = Markdown(
    tables=Markdown.Tables(cell_blocks="text", header="detect"),
    images=Markdown.Images(mode="alt"),
    links=Markdown.Links(autolink=False),
    escaping=Markdown.Escaping(mode="minimal", underscores=False),
)
# The renderer writes tags where markdown has no mark; tags in the page's text are escaped or in
# code.
_LEFTOVER_TAG_PATTERN: Final = re.compile(
    r"(?=[`<])(?<!\\)(?:(`+).*?\1|(<br>)+|(</?(?:s|del)>)|</?(?:strong|em|b|i|code)>)"
)
_FENCE_INFO_CHARS: Final = "abcdefghijklmnopqrstuvwxyz0123456789_+#.-"
_MAX_LINES: Final = 100_000
# Drop a break right after an item's mark, and the mark of an empty heading.
_AFTER_MARK_CHARS: Final = " #\\"
_BARE_MARK_PATTERN: Final = re.compile(r"(?:[-*+]|[0-9]{1,9}\.)(?: \\| #{1,6})?")
_MAX_MARK_CHARS: Final = 12
# Bullet characters of items, alone or after a list mark.
_BULLET_CHARS: Final = "•●▪◦‣"
_BULLET_PATTERN: Final = re.compile(rf"^(\s*)(?:[-*+] )?[{_BULLET_CHARS}]\s*(?=\S)")
# The renderer escapes the dot of a leading number, even without a blank after it.
_DECIMAL_PATTERN: Final = re.compile(r"^([\s>]*(?:(?:[-*+]|\d+[.)]) +)*\d+)\\\.(?=\S)")
_CHECKBOX_PATTERN: Final = re.compile(r"^(\s*(?:[-*+]|\d+\.) )\\\[([ x])\\\](?= )")
# The second of two breaks in a row: both separate paragraphs.
_SECOND_BREAK_PATTERN: Final = re.compile(r"^([ >]*?) *\\$")
_REDUNDANT_LINE_ENDS: Final = frozenset({"", " ", "#", "-", ">"})
_EDGE_LINES: Final = frozenset({"", "---"})
_EMPTY_HEADINGS: Final = frozenset({"#", "##", "###", "####", "#####", "######"})


def render_markdown(root: Element) -> tuple[str, int]:
    """Return the markdown of ``root`` and the number of hidden characters removed from it."""
    text, removed = strip_hidden(root.to_markdown(_RENDER_STYLE))
    if text.count("\n") <= _MAX_LINES:
        lines = _tidy_lines(text)
        # Drop blank lines and rules at both ends.
        shown = [index for index, line in enumerate(lines) if line not in _EDGE_LINES]
        text = "\n".join(lines[shown[0] : shown[-1] + 1]) if shown else ""
    return write_footnotes(write_formulas(text).strip()), removed


def _tidy_lines(text: str) -> list[str]:
    """Drop empty marks, doubled rules and wide gaps outside code."""
    lines: list[str] = []
    marks: list[str] = []
    fence = ""
    has_fences = "```" in text
    writers = [writer for writer in _LINE_SUBSTITUTIONS if any(sign in text for sign in writer[0])]
    for raw in text.split("\n"):
        # Every second line is blank, so handle that case first.
        if not raw and not fence:
            if lines and lines[-1] and not marks:
                lines.append("")
            continue
        line = raw.rstrip()
        stripped = line.lstrip()
        if has_fences and stripped.startswith("```") and (not fence or stripped == fence):
            line = _close_code_fence(line, lines) if fence else _label_code_fence(line, lines)
            fence = "" if fence else stripped.rstrip(_FENCE_INFO_CHARS)
        elif not fence:
            for signs, pattern, new in writers:
                if any(map(line.__contains__, signs)):
                    line = pattern.sub(new, line)
            if 0 < len(stripped) <= _MAX_MARK_CHARS and _BARE_MARK_PATTERN.fullmatch(stripped):
                line = line.rstrip(_AFTER_MARK_CHARS)
                marks = [*(mark for mark in marks if len(mark) < len(line)), line]
                continue
            if line[-1:] in _REDUNDANT_LINE_ENDS and (
                (marks and not line) or _is_redundant_line(line, lines)
            ):
                continue
        lines.append(_prefix_item_marks(line, marks) if marks else line)
        marks = []
    return lines


def _close_code_fence(fence: str, before: list[str]) -> str:
    """Drop blank lines before a closing fence; return the fence."""
    while before and not before[-1]:
        before.pop()
    return fence


def _label_code_fence(fence: str, before: list[str]) -> str:
    """Return an opening fence with the language of the label above it; drop the label."""
    label = before[-2].strip().lower() if len(before) > 1 and not before[-1] else ""
    stripped = fence.lstrip()
    language = stripped.lstrip("`")
    if not label or label != (language or label) or not is_code_language(label):
        return fence
    del before[-2:]
    return fence if language else f"{fence}{label}"


def _prefix_item_marks(line: str, marks: list[str]) -> str:
    """Put the marks of items with an empty start before their first line.

    A code fence stays on its own line, so that its end can be found.
    """
    blanks = len(line) - len(line.lstrip())
    if line.startswith("```", blanks):
        return "\n".join([*(mark for mark in marks if len(mark) < blanks), line])
    for mark in marks:
        if len(mark) < blanks:
            sign = mark.lstrip()
            line = f"{line[: len(mark) - len(sign)]}{sign}{line[len(mark) :]}"
    return line


def _replace_leftover_tag(match: re.Match[str]) -> str:
    if match[1]:
        return match[0]
    if match[3]:
        start = match.start()
        follows_letter = match[3][1] != "/" and match.string[max(start - 1, 0) : start].isalnum()
        return " ~~" if follows_letter else "~~"
    return " " if match[2] else ""


# Patterns for lines of text with their replacements; each is for lines with one of these signs.
_LineReplacement: TypeAlias = str | Callable[[re.Match[str]], str]
_LINE_SUBSTITUTIONS: Final[tuple[tuple[Iterable[str], re.Pattern[str], _LineReplacement], ...]] = (
    ("<", _EMPHASIS_TAG_PATTERN, _replace_emphasis_tag),
    ("<", _LEFTOVER_TAG_PATTERN, _replace_leftover_tag),
    (_BULLET_CHARS, _BULLET_PATTERN, r"\1- "),
    ("\\", _DECIMAL_PATTERN, r"\1."),
    ("\\", _CHECKBOX_PATTERN, r"\1[\2]"),
    (("$", "\\\\"), TYPED_FORMULA_PATTERN, unescape_typed_tex),
    ("\\", _SECOND_BREAK_PATTERN, r"\1"),
)


def _is_redundant_line(line: str, before: list[str]) -> bool:
    if not line.strip(" >"):
        return not before or before[-1] == line
    if line == "---":
        return "---" in before[-2:]
    return line[-1] in "# " and line.strip(" >") in _EMPTY_HEADINGS


# A text for screen readers right beside the same text for the eyes.
_SPOKEN_SELECTOR: Final = (
    "span:is(.a-offscreen,.screen-reader-text,.sr-only,.visually-hidden,.visuallyhidden)"
)
_SHOWN_SELECTOR: Final = ":is(span,del,ins)[aria-hidden=true]:not(:empty)"
_TWICE_TOLD_SELECTOR: Final = (
    f"{_SHOWN_SELECTOR} + {_SPOKEN_SELECTOR},{_SPOKEN_SELECTOR}:has(+ {_SHOWN_SELECTOR})"
)
_PAGE_TOOL_SELECTOR: Final = (
    "a.headerlink,span.mw-editsection,div.bbCodeBlock-expandLink,.quoteContainer > .quoteExpand"
)
# Searched only on pages with code.
_CODE_TOOL_SELECTORS: Final[tuple[tuple[str, LeftOutKind], ...]] = (
    (".linenodiv", "margins"),
    (".code-toolbar > .toolbar", "controls"),
    # mdBook and rustdoc hide these lines, which an example only needs to compile.
    ("pre .boring", "hidden"),
)
_BOLD_HEADING_SELECTOR: Final = ":is(h1,h2,h3,h4,h5,h6,th) :is(b,strong)"
_MAX_QUOTE_DEPTH: Final = 10
# Blocks that the renderer takes for parts of a line.
_UNRENDERED_BLOCK_TAGS: Final = (
    "button", "dialog", "fieldset", "form", "hgroup", "label", "legend", "optgroup", "option",
)  # fmt: skip
_INDENT_QUOTE_SELECTOR: Final = "blockquote:has(> div:only-child > :is(ol,ul):only-child)"


def tidy_tree(root: Element, base: str, removals: Removals | None = None) -> int:
    """Tidy ``root`` in place; return the number of its links. What is no content is taken out."""
    removals = removals or Removals()
    _remove_all(root, _PAGE_TOOL_SELECTOR, "controls", removals)
    _remove_all(root, _TWICE_TOLD_SELECTOR, "copies", removals)
    modernise_tags(root)
    if root.find("pre") is not None or root.find("code") is not None:
        for selector, kind in _CODE_TOOL_SELECTORS:
            _remove_all(root, selector, kind, removals)
    mark_footnotes(root, base, removals)
    # The renderer reads pre-wrap as code.
    for element in [root, *root.select("[style*='white-space' i]")]:
        element.attrs.pop("style", None)
    tidy_code_blocks(root, removals)
    tidy_inline_markup(root)
    tidy_tables(root)
    for bold in root.select(_BOLD_HEADING_SELECTOR):
        bold.unwrap()
    name_code_languages(root)
    _flatten_quotes(root)
    unwrap_card_links(root)
    for element in list(root.iter_elements(_UNRENDERED_BLOCK_TAGS)):
        element.insert_before(Text(" "))
        element.insert_after(Text(" "))
    tidy_lists(root)
    mark_definitions(root)
    count = tidy_links(root, base, removals)
    split_linked_code(root)
    return count


def _remove_all(root: Element, selector: str, kind: LeftOutKind, removals: Removals) -> None:
    for element in root.select(selector):
        removals.take(kind, element)
        element.decompose()


def _flatten_quotes(root: Element) -> None:
    """Limit the depth of quotes: each level puts a mark on every line inside it."""
    if root.find("blockquote") is None:
        return
    # The pictures of an empty quote are returned beside the text.
    for empty in [quote for quote in root.find_all("blockquote") if not quote.text.strip()]:
        empty.decompose()
    # Sphinx indents lists like this.
    for quoted in root.select(_INDENT_QUOTE_SELECTOR):
        quoted.tag = "div"
    if len(root.find_all("blockquote", limit=_MAX_QUOTE_DEPTH)) == _MAX_QUOTE_DEPTH:
        for quote in root.select(" ".join(["blockquote"] * _MAX_QUOTE_DEPTH)):
            quote.tag = "div"
