"""Footnotes as markdown has them: ``[^1]`` in the text, and what each says at the end.

A mark in the text points at a note further down. Through the tree both travel between two signs
that no renderer escapes.
"""

import re
from collections.abc import Iterator
from itertools import count, islice, takewhile
from typing import Final

from turbohtml import Element, Node, Text

# The last two are of texts that Word saved.
MARKS: Final = (
    "a[href^='#']:is(sup *,:has(> sup),[role=doc-noteref],.footnote-ref,.footnote-reference,"
    ".footnote-anchor,[href^='#_ftn'][name^='_ftnref'],[href^='#_edn'][name^='_ednref'])"
)
_NOTES: Final = frozenset({"aside", "dd", "div", "li", "p"})
_ANCHORS: Final = frozenset({"a", "b", "span", "strong", "sup"})
_INLINE: Final = frozenset(
    {"a", "b", "cite", "code", "em", "font", "i", "q", "small", "span", "strong", "sup", "u"}
)
# What leads back to the text, or says the number once more.
_BACK: Final = (
    "[role=doc-backlink],.mw-cite-backlink,.footnote-backref,.reversefootnote,.fn-bracket,"
    "[role=doc-footnote] > .label"
)
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_QUOTED: Final = re.compile(r'["\\\n]')
_LABEL: Final = re.compile(r"[\s\[(]*([^\s\[\]()]{1,6})[\s\])]*")
_MAX_BACKLINK_CHARS: Final = 3
_MAX_BRACKET_CHARS: Final = 10
_MAX_FOOTNOTES: Final = 2_000
_MAX_NOTE_NODES: Final = 500
_MAX_NOTE_CHARS: Final = 5_000
# What a mark travels between; it ends as a bracket.
SIGN: Final = "\ue001"
_MARKED: Final = re.compile(f"{SIGN}([0-9]{{1,4}}){SIGN}")
_BEGINNING: Final = re.compile(f"^[-*+] {SIGN}([0-9]{{1,4}}){SIGN} ?", re.MULTILINE)


class _Note:
    """A note, the marks in the text that point at it, and what they show."""

    def __init__(self, element: Element, shown: str) -> None:
        self.element = element
        self.shown = shown
        self.marks: list[Element] = []


def set_footnotes(root: Element, base: str = "") -> None:
    """Mark footnotes and what points at them, and put them at the end, in place.

    ``base`` is the address of the page: some spell it out, or the end of it, in every link to a
    place on it.
    """
    _shorten(root, base)
    links = root.select(MARKS)[:_MAX_FOOTNOTES]
    notes = _notes(root, links) if links else []
    end = Element("ul")
    holders = dict.fromkeys(note.element.parent for note in notes)
    for note, label in zip(notes, _labels(notes), strict=True):
        for mark in note.marks:
            _around(mark).replace_with(Text(f"{SIGN}{label}{SIGN}"))
        end.append(_moved(note, label))
    for holder in holders:
        if isinstance(holder, Element) and holder is not root:
            _close(root, holder, only=len(holders) == 1)
    if notes:
        root.append(end)


def _shorten(root: Element, base: str) -> None:
    own = base.partition("#")[0]
    if own.startswith("http") and not _QUOTED.search(own):
        name = own.rpartition("/")[2]
        spelled = f'a[href^="{own}#"]' + (f',a[href^="{name}#"]' if name else "")
        for link in root.select(spelled)[:_MAX_FOOTNOTES]:
            link.attrs["href"] = f"#{(link.attr('href') or '').partition('#')[2]}"


def _close(root: Element, holder: Element, *, only: bool) -> None:
    """Drop what held notes and holds nothing now; the heading over it stands over the notes."""
    box = holder
    while _first_text(box) is None:
        above = box.parent
        before = _sibling(box, ahead=False)
        if before is not None and before.tag == "hr":
            before.decompose()
            before = _sibling(box, ahead=False)
        if only and before is not None and _is_heading(before) and _ends(box):
            root.append(before)
            only = False
        if box.parent is not None:
            box.decompose()
        if not isinstance(above, Element) or above is root:
            return
        box = above


def _ends(box: Element) -> bool:
    after = _sibling(box, ahead=True)
    return after is None or _is_heading(after)


def _sibling(box: Element, *, ahead: bool) -> Element | None:
    """Return the element right beside another, if no text stands between."""
    node = box.next_sibling if ahead else box.previous_sibling
    while isinstance(node, Text) and node.data.isspace():
        node = node.next_sibling if ahead else node.previous_sibling
    return node if isinstance(node, Element) else None


def _is_heading(element: Element) -> bool:
    """Tell a heading, alone or in a box of its own."""
    inner = element if element.tag in _HEADINGS else element.select_one(":scope > :is(h2,h3,h4)")
    return inner is not None and inner.text.strip() == element.text.strip()


def _labels(notes: list[_Note]) -> Iterator[str]:
    """Yield a number for each note: the one it has, unless it has none or another has it."""
    shown = {note.shown for note in notes}
    free = (str(number) for number in count(1) if str(number) not in shown)
    used: set[str] = set()
    for note in notes:
        own = note.shown.isdecimal() and note.shown not in used
        used.add(note.shown)
        yield note.shown if own else next(free)


def _notes(root: Element, links: list[Element]) -> list[_Note]:
    """Return the notes that links point at, each with these; they must all show the same."""
    found = _targets(root, links)
    for link in links:
        if (note := found.get(_target(link))) is not None:
            note.marks.append(link)
    notes = [
        note for note in found.values() if {_shown(mark) for mark in note.marks} == {note.shown}
    ]
    ahead = {mark for note in notes for mark in note.marks}
    return [note for note in notes if _is_said(note.element, ahead)]


def _targets(root: Element, links: list[Element]) -> dict[str, _Note]:
    """Return the notes by name; a note stands after the first link that points at it."""
    wanted = {_target(link): link for link in reversed(links)}
    passed: set[str] = set()
    found: dict[str, _Note | None] = {}
    for node in root.select(f"[id],a[name],{MARKS}"):
        name = node.attr("id") or node.attr("name") or ""
        if name in passed and name not in found:
            found[name] = _note(node, wanted[name])
        target = _target(node)
        if target in wanted:
            passed.add(target)
    return {name: note for name, note in found.items() if note is not None}


def _target(link: Element) -> str:
    target = link.attr("href") or ""
    return target[1:] if target.startswith("#") else ""


def _is_said(note: Element, ahead: set[Element]) -> bool:
    """Take out what leads back from a note; tell whether it says anything."""
    note.remove(_BACK)
    for link in note.select("a[href^='#']"):
        if link not in ahead and len(link.text.strip()) <= _MAX_BACKLINK_CHARS:
            link.decompose()
    return _first_text(note) is not None


def _note(target: Element, link: Element) -> _Note | None:
    """Return the note that begins at ``target``; nothing for what is none."""
    above = target.parent
    if target.tag in _ANCHORS and isinstance(above, Element):
        target = above
    shown = _shown(link)
    if target.tag in _HEADINGS and shown and _shown(target) == shown:
        target = _gathered(target)
    return _Note(target, shown) if shown and target.tag in _NOTES and _is_short(target) else None


def _gathered(number: Element) -> Element:
    """Put a note into a box that stands under its number, set as a heading, as Texinfo has it."""
    box = Element("div")
    number.insert_before(box)
    told = takewhile(lambda node: not _begins(node), list(number.next_siblings))
    box.extend(list(told))
    number.decompose()
    return box


def _begins(node: Node) -> bool:
    return isinstance(node, Element) and node.tag in _HEADINGS


def _shown(link: Element) -> str:
    label = _LABEL.fullmatch(link.text)
    return label[1] if label else ""


def _is_short(note: Element) -> bool:
    size = 0
    for number, node in enumerate(note.descendants):
        size += len(node.data) if isinstance(node, Text) else 0
        if number > _MAX_NOTE_NODES or size > _MAX_NOTE_CHARS:
            return False
    return True


def _around(mark: Element) -> Element:
    """Return the raised sign that holds nothing but the mark and brackets, or else the mark."""
    above, before, after = mark.parent, mark.previous_sibling, mark.next_sibling
    alone = (before is None or (_is_bracket(before) and before.previous_sibling is None)) and (
        after is None or (_is_bracket(after) and after.next_sibling is None)
    )
    return above if alone and isinstance(above, Element) and above.tag == "sup" else mark


def _is_bracket(node: Node) -> bool:
    return (
        isinstance(node, Text)
        and len(node.data) <= _MAX_BRACKET_CHARS
        and not node.data.strip("[]() \n")
    )


def _moved(note: _Note, label: str) -> Element:
    """Return what a note says as an item, taken out of the page."""
    element = note.element
    item = Element("li")
    item.extend(list(element.children))
    element.decompose()
    first = _first_text(item)
    if first is not None:
        _unnumber(first, note.shown)
        _begin(item, f"{SIGN}{label}{SIGN} ")
    return item


def is_note(item: Element) -> bool:
    """Tell whether an item of a list is a marked footnote."""
    texts = (
        node.data for node in islice(item.descendants, _MAX_BRACKET_CHARS) if isinstance(node, Text)
    )
    return next((text.startswith(SIGN) for text in texts if text.strip()), False)


def _first_text(note: Element) -> Text | None:
    return next((n for n in note.descendants if isinstance(n, Text) and n.data.strip()), None)


def _unnumber(text: Text, shown: str) -> None:
    """Take the number from where a note begins."""
    plain = text.data.lstrip(" \t\n[(^↑")
    rest = plain.removeprefix(shown)
    if rest != plain and (not shown.isalnum() or not rest.strip() or rest[0] in ".)]:"):
        text.data = rest.lstrip(" \t\n.)]:")


def _begin(item: Element, mark: str) -> None:
    """Put the mark before the first words of a note, inside of the block that holds them."""
    first: Element | Text | None = _first_text(item)
    if first is None:
        return
    above = first.parent
    while isinstance(above, Element) and above is not item and above.tag in _INLINE:
        first, above = above, above.parent
    first.insert_before(Text(mark))


def write_footnotes(markdown: str) -> str:
    """Write marked footnotes as markdown has them, those at the end indented by four blanks."""
    if SIGN not in markdown:
        return markdown
    start = _BEGINNING.search(markdown)
    text, notes = (
        (markdown[: start.start()], markdown[start.start() :]) if start else (markdown, "")
    )
    return _MARKED.sub(r"[^\1]", text) + "\n".join(_note_lines(notes))


def _note_lines(notes: str) -> Iterator[str]:
    for line in notes.split("\n"):
        begun, count = _BEGINNING.subn(r"[^\1]: ", line)
        yield _MARKED.sub(r"[^\1]", begun if count or not line.startswith("  ") else f"  {line}")
