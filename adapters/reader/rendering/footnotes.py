"""Write footnotes as markdown: ``[^1]`` in the text, and ``[^1]:`` before the note.

A mark in the text points at a note further down. In the tree, the labels of both stand between two
private-use characters, which the renderer does not escape.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Final, NamedTuple

from turbohtml import Element, Text

from ..removals import Removals

# The last two are from texts that Word saved.
NOTE_MARK_SELECTOR: Final = (
    "a[href^='#']:is(sup *,:has(> sup),[role=doc-noteref],.footnote-ref,.footnote-reference,"
    ".footnote-anchor,[href^='#_ftn'][name^='_ftnref'],[href^='#_edn'][name^='_ednref'])"
)
_NOTE_TAGS: Final = frozenset({"aside", "dd", "div", "li", "p"})
_ANCHOR_TAGS: Final = frozenset({"a", "b", "span", "strong", "sup"})
_INLINE_TAGS: Final = frozenset(
    {"a", "b", "cite", "code", "em", "font", "i", "q", "small", "span", "strong", "sup", "u"}
)
# Links back to the text, and copies of the number.
_BACK_LINK_SELECTOR: Final = (
    "[role=doc-backlink],.mw-cite-backlink,.footnote-backref,.reversefootnote,.fn-bracket,"
    "[role=doc-footnote] > .label"
)
_UNQUOTABLE_PATTERN: Final = re.compile(r'["\\\n]')
_MARK_LABEL_PATTERN: Final = re.compile(r"[\s\[(]*([^\s\[\]()]{1,6})[\s\])]*")
_MAX_BACK_LINK_CHARS: Final = 3
_MAX_NOTES: Final = 2_000
_MAX_NOTE_NODES: Final = 500
_MAX_NOTE_CHARS: Final = 5_000
# The private-use character around a label; it becomes a bracket in the end.
NOTE_SIGN: Final = "\ue001"
_LABEL_PATTERN: Final = re.compile(f"{NOTE_SIGN}([0-9]{{1,4}}){NOTE_SIGN}")
_NOTE_START_PATTERN: Final = re.compile(f"^ *[-*+] {NOTE_SIGN}([0-9]{{1,4}}){NOTE_SIGN} ?")


class _Note(NamedTuple):
    """A note, the label that its marks show, and the marks in the text."""

    element: Element
    shown: str
    marks: list[Element]


def mark_footnotes(root: Element, base: str, removals: Removals) -> None:
    """Label footnotes and their marks, and make the notes items of lists, in place.

    ``base`` is the address of the page: some pages write it, or its end, in every link to an
    anchor on the same page.
    """
    _shorten_note_links(root, base)
    links = root.select(NOTE_MARK_SELECTOR)[:_MAX_NOTES]
    notes = _find_notes(root, links, removals) if links else []
    for note, label in zip(notes, _number_notes(notes), strict=True):
        for mark in note.marks:
            _superscript_around_mark(mark).replace_with(Text(f"{NOTE_SIGN}{label}{NOTE_SIGN}"))
        _make_note_item(note, label)


def _shorten_note_links(root: Element, base: str) -> None:
    address = base.partition("#")[0]
    if address.startswith("http") and not _UNQUOTABLE_PATTERN.search(address):
        name = address.rpartition("/")[2]
        selector = f'a[href^="{address}#"]' + (f',a[href^="{name}#"]' if name else "")
        for link in root.select(selector)[:_MAX_NOTES]:
            link.attrs["href"] = f"#{(link.attr('href') or '').partition('#')[2]}"


def _number_notes(notes: list[_Note]) -> Iterator[str]:
    """Yield a number for each note: its own, or a free one where that is taken or missing."""
    shown = {note.shown for note in notes}
    free = (str(number) for number in count(1) if str(number) not in shown)
    used: set[str] = set()
    for note in notes:
        has_own_number = note.shown.isdecimal() and note.shown not in used
        used.add(note.shown)
        yield note.shown if has_own_number else next(free)


def _find_notes(root: Element, links: list[Element], removals: Removals) -> list[_Note]:
    """Return the notes with their marks; all marks of a note must show the same label.

    A note stands after the first link to it.
    """
    links_by_target: dict[str, list[Element]] = {}
    for link in links:
        links_by_target.setdefault(_link_fragment(link), []).append(link)
    passed: set[str] = set()
    notes: dict[str, _Note | None] = {}
    for node in root.select(f"[id],a[name],{NOTE_MARK_SELECTOR}"):
        name = node.attr("id") or node.attr("name") or ""
        if name in passed and name not in notes:
            notes[name] = _make_note(node, links_by_target[name])
        if (target := _link_fragment(node)) in links_by_target:
            passed.add(target)
    found = [note for note in notes.values() if note is not None]
    all_marks = {mark for note in found for mark in note.marks}
    return [note for note in found if _drop_back_links(note.element, all_marks, removals)]


def _link_fragment(link: Element) -> str:
    target = link.attr("href") or ""
    return target[1:] if target.startswith("#") else ""


def _drop_back_links(note: Element, all_marks: set[Element], removals: Removals) -> bool:
    """Drop the back links of a note; tell whether it has text."""
    for link in note.select(_BACK_LINK_SELECTOR):
        removals.take("controls", link)
        link.decompose()
    for link in note.select("a[href^='#']"):
        if link not in all_marks and len(link.text.strip()) <= _MAX_BACK_LINK_CHARS:
            removals.take("controls", link)
            link.decompose()
    return _first_note_text(note) is not None


def _make_note(target: Element, marks: list[Element]) -> _Note | None:
    """Return the note that begins at ``target``; None where it is not a note."""
    above = target.parent
    if target.tag in _ANCHOR_TAGS and isinstance(above, Element):
        target = above
    labels = {
        label[1] if (label := _MARK_LABEL_PATTERN.fullmatch(mark.text)) else "" for mark in marks
    }
    shown = labels.pop()
    is_note = shown and not labels and target.tag in _NOTE_TAGS and _is_short_note(target)
    return _Note(target, shown, marks) if is_note else None


def _is_short_note(note: Element) -> bool:
    size = 0
    for number, node in enumerate(note.descendants):
        size += len(node.data) if isinstance(node, Text) else 0
        if number > _MAX_NOTE_NODES or size > _MAX_NOTE_CHARS:
            return False
    return True


def _superscript_around_mark(mark: Element) -> Element:
    """Return the ``sup`` that holds only the mark and brackets, or else the mark."""
    above = mark.parent
    if not isinstance(above, Element) or above.tag != "sup":
        return mark
    others = [node for node in above.children if node is not mark]
    texts = [node.data for node in others if isinstance(node, Text)]
    is_alone = len(texts) == len(others) and not "".join(texts).strip("[]() \n")
    return above if is_alone else mark


def _make_note_item(note: _Note, label: str) -> None:
    """Make a note an item of a list without numbers, with its label."""
    item = note.element
    holder = item.parent
    item.tag = "li"
    if isinstance(holder, Element) and holder.tag in {"ol", "ul"}:
        holder.tag = "ul"
    else:
        item.wrap(Element("ul"))
    if (number := _first_note_text(item)) is not None:
        _drop_note_number(number, note.shown)
    # The label stands before the first words, inside their block.
    first: Element | Text | None = _first_note_text(item)
    above = None if first is None else first.parent
    while isinstance(above, Element) and above is not item and above.tag in _INLINE_TAGS:
        first, above = above, above.parent
    if first is not None:
        first.insert_before(Text(f"{NOTE_SIGN}{label}{NOTE_SIGN} "))


def _first_note_text(note: Element) -> Text | None:
    return next((n for n in note.descendants if isinstance(n, Text) and n.data.strip()), None)


def _drop_note_number(text: Text, shown: str) -> None:
    """Drop the number at the start of a note."""
    text_start = text.data.lstrip(" \t\n[(^↑")
    rest = text_start.removeprefix(shown)
    if rest != text_start and (not shown.isalnum() or not rest.strip() or rest[0] in ".)]:"):
        text.data = rest.lstrip(" \t\n.)]:")


def write_footnotes(markdown: str) -> str:
    """Write labelled footnotes as markdown; lines of the notes are indented by four blanks."""
    if NOTE_SIGN not in markdown:
        return markdown
    lines: list[str] = []
    is_note = False
    for line in markdown.split("\n"):
        begun_line, count = _NOTE_START_PATTERN.subn(r"[^\1]: ", line)
        is_note = bool(count) or (is_note and (not line or line.startswith("  ")))
        is_indented = is_note and not count and line
        lines.append(_LABEL_PATTERN.sub(r"[^\1]", f"  {line}" if is_indented else begun_line))
    return "\n".join(lines)
