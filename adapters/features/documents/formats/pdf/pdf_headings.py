"""Headings: by their type beside the running text of the document, and by its outline. Pure.

A heading is a short line, or a few, in the reading direction, that is larger than the running
text, or set apart from it by weight, slope, capitals or a number. What the outline of the document
names on a page is a heading there. The outline also tells the levels; else size and numbers do.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

import msgspec

from .pdf_lines import BULLET_PATTERN, PdfLine

MIN_HEADING_SIZE_RATIO: Final = 1.15
_MAX_SIZE_RATIO: Final = 1.06
# A smaller line is a heading only where it is set apart.
_MIN_SIZE_RATIO: Final = 0.88
_LEADER_PATTERN: Final = re.compile(r"\.{4,}|(?:\. ){4,}")
_WORD_PATTERN: Final = re.compile(r"[^\W\d_]{2}")
# "1", "1.2", "I.", "A.", "II-A1", "Appendix A": the numbers of headings.
_NUMBER_PATTERN: Final = re.compile(
    r"(?:(?P<decimal>\d{1,2}(?:\.\d{1,2}){0,4})[.:)]?|(?P<roman>[IVXLC]{1,6}|[A-Z])[.:)]"
    r"|(?P<joined>[IVX]{1,5}-[A-Z]\d{0,2}|[A-Z](?:\.\d{1,2}){1,3})[.:)]?"
    r"|[A-Z]\w+ (?P<named>[A-Z]|\d{1,2})[.:)])"
    r"\s+(?=[^\W\d_])"
)
# "Table 1.", "FIGURE II", "Fig. 3:" before what a picture or a table shows.
_CAPTION_PATTERN: Final = re.compile(r"[^\W\d_]{2,}\.? (?:[A-Z]?\d{1,3}|[IVX]+)(?:[.:]|$)")
_ROMAN_PATTERN: Final = re.compile(r"[IVX]+")
_MAX_TITLE_WORDS: Final = 25
_MAX_HEADING_WORDS: Final = 14
_MAX_SLOPED_WORDS: Final = 8
_MAX_HEADING_LINES: Final = 6
_MAX_HEADING_STEP: Final = 1.7
_FIRST_LEVEL: Final = 3
_LAST_LEVEL: Final = 6
# How much larger than between lines of text a gap is that sets a line apart.
_MIN_GAP_RATIO: Final = 1.2
_MIN_CAPITALS: Final = 3
_MIN_LETTER_SHARE: Final = 0.8
# The title, and what stands beside it.
_MAX_HEADINGS_ABOVE: Final = 2
_MIN_ABSTRACT_LINES: Final = 3
_MIN_TEXT_WORDS: Final = 7
_TEXT_END: Final = (".", ",", ";", ":")


class Typography(msgspec.Struct, frozen=True):
    """The running text of a document: its size, its font, and the distance between lines.

    ``step`` is a share of the size.
    """

    size: float
    bold: bool
    mono: bool
    step: float
    font: str = ""


class OutlineEntry(msgspec.Struct, frozen=True):
    """An entry of the outline: its page, counted from 0, its depth, from 0, and its title."""

    page: int
    depth: int
    title: str


class Heading(msgspec.Struct, frozen=True):
    """A heading of a page: where its lines end, and its level in markdown.

    It is only the ``run_in`` of its line where its paragraph follows on the same line.
    """

    end: int
    level: int
    is_run_in: bool = False


class _Found(msgspec.Struct, frozen=True):
    """A heading before its level is known; ``rank`` is smaller for a larger one."""

    end: int
    rank: tuple[float, int]
    depth: int | None = None
    is_run_in: bool = False


def is_same_font_size(size: float, other_size: float) -> bool:
    """Tell whether two sizes look the same."""
    return max(size, other_size) <= _MAX_SIZE_RATIO * min(size, other_size)


def find_headings(
    pages: list[list[PdfLine]], typography: Typography, outline: list[OutlineEntry]
) -> list[dict[int, Heading]]:
    """Return the headings of each page by the index of their first lines."""
    found = [_page_headings(lines, typography) for lines in pages]
    if pages:
        _drop_bylines(pages[0], found, typography)
    if pages and (index := _first_run_in(pages[0], found[0])) is not None:
        found[0][index] = _Found(index + 1, _run_in_rank(pages[0][index]), is_run_in=True)
    _add_outline_headings(pages, found, outline)
    return _headings_with_levels(found)


def _page_headings(lines: list[PdfLine], typography: Typography) -> dict[int, _Found]:
    headings: dict[int, _Found] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        end = _heading_end(lines, index) if _may_be_heading(line, typography) else index
        if end > index and _is_heading(lines, index, end, typography):
            headings[index] = _Found(end, _heading_rank(line))
            index = end
        else:
            if line.run_in and _is_numbered_run_in(line, typography):
                headings[index] = _Found(index + 1, _run_in_rank(line), is_run_in=True)
            index += 1
    return headings


def _may_be_heading(line: PdfLine, typography: Typography) -> bool:
    """Tell whether a line differs from running text; most lines do not."""
    if line.size > _MAX_SIZE_RATIO * typography.size or line.bold or line.italic:
        return True
    return line.text.isupper() or _NUMBER_PATTERN.match(line.text) is not None


def _is_numbered_run_in(line: PdfLine, typography: Typography) -> bool:
    """Tell whether a line begins with a number and words in another font than the text's."""
    is_short = 0 < len(line.run_in.split()) <= _MAX_HEADING_WORDS
    is_apart = is_short and not line.turned and line.font != typography.font
    return is_apart and not line.mono and _NUMBER_PATTERN.match(line.run_in) is not None


def _run_in_rank(line: PdfLine) -> tuple[float, int]:
    size, depth = _heading_rank(line)
    return size, depth + 1


def _drop_bylines(
    lines: list[PdfLine], found: list[dict[int, _Found]], typography: Typography
) -> None:
    """Leave out names and dates: lines under the title in a type that no other heading has.

    A line with a number is a heading all the same, and one above running text that is not only
    large.
    """
    title, *below = sorted(found[0]) or [0]
    text = next(
        (place for place in range(title + 1, len(lines)) if _is_text(lines[place], typography)),
        len(lines),
    )
    elsewhere = {heading.rank for page in found[1:] for heading in page.values()}
    elsewhere |= {found[0][index].rank for index in below if index > text}
    for index in below:
        heading = found[0][index]
        is_numbered = _NUMBER_PATTERN.match(lines[index].text) is not None
        is_large = lines[index].size >= MIN_HEADING_SIZE_RATIO * typography.size
        is_above_text = heading.end == text and (lines[index].bold or not is_large)
        if index < text and not is_numbered and not is_above_text and heading.rank not in elsewhere:
            del found[0][index]


def _is_text(line: PdfLine, typography: Typography) -> bool:
    """Tell whether a line is running text: as large as most of it, and long."""
    return (
        is_same_font_size(line.size, typography.size) and len(line.text.split()) >= _MIN_TEXT_WORDS
    )


def _first_run_in(lines: list[PdfLine], headings: dict[int, _Found]) -> int | None:
    """Return the line whose first word, in a font of its own, names what a paper begins with.

    It begins the first paragraph of a few lines under the title: "Abstract", in any language.
    """
    above = 0
    for index, line in enumerate(lines):
        above += index in headings
        if above > _MAX_HEADINGS_ABOVE:
            return None
        if line.run_in and len(line.run_in.split()) == 1 and not line.turned:
            text = lines[index : index + _MIN_ABSTRACT_LINES]
            is_long = min(len(text_line.text.split()) for text_line in text) >= _MIN_TEXT_WORDS
            if above and is_long and len(text) == _MIN_ABSTRACT_LINES:
                return index
    return None


def _heading_end(lines: list[PdfLine], index: int) -> int:
    """Return where a heading ends that begins at a line: before another size, font or number."""
    end = index + 1
    while end < min(len(lines), index + _MAX_HEADING_LINES):
        above, below = lines[end - 1], lines[end]
        is_near = 0 < above.base - below.base <= _MAX_HEADING_STEP * above.size
        is_alike = above.bold == below.bold and above.italic == below.italic
        if not is_near or not is_alike or not is_same_font_size(above.size, below.size):
            break
        if _NUMBER_PATTERN.match(below.text) or below.run_in:
            break
        if above.text.isupper() and not below.text.isupper():
            break
        end += 1
    return end


def _is_heading(lines: list[PdfLine], index: int, end: int, typography: Typography) -> bool:
    line, heading_lines = lines[index], lines[index:end]
    words = sum(len(heading_line.text.split()) for heading_line in heading_lines)
    if (
        line.turned
        or (line.mono and not typography.mono)
        or words > _MAX_TITLE_WORDS
        or not _WORD_PATTERN.search(line.text)
    ):
        return False
    if _LEADER_PATTERN.search(line.text) or _is_contents_entry(line):
        return False
    if line.size >= MIN_HEADING_SIZE_RATIO * typography.size:
        return True
    if words > _MAX_HEADING_WORDS or line.size < _MIN_SIZE_RATIO * typography.size:
        return False
    if (
        _has_parts(line)
        or BULLET_PATTERN.match(line.text)
        or _CAPTION_PATTERN.match(line.text)
        or heading_lines[-1].text.endswith(_TEXT_END)
    ):
        return False
    is_smaller = line.size * _MAX_SIZE_RATIO < typography.size
    if line.bold and not typography.bold and not is_smaller:
        return True
    if not _is_set_apart(lines, index, typography):
        return False
    return _has_heading_type(line, typography) or _is_sloped_title(lines, index, typography)


def _is_sloped_title(lines: list[PdfLine], index: int, typography: Typography) -> bool:
    """Tell whether a line is a few words in italics directly above running text."""
    line, below = lines[index], next(iter(lines[index + 1 : index + 2]), None)
    if below is None or not line.italic or below.italic or line.font != line.end_font:
        return False
    is_above_text = line.base > below.base and _is_text(below, typography)
    is_title = line.text[0].isupper() and len(line.text.split()) <= _MAX_SLOPED_WORDS
    return is_above_text and is_title


def _is_contents_entry(line: PdfLine) -> bool:
    """Tell whether a line ends with a number beside it: that of the page which it leads to."""
    return bool(line.cells) and line.cells[-1].text.isdecimal()


def _has_parts(line: PdfLine) -> bool:
    """Tell whether a line has parts beside each other, other than a number before its words."""
    if len(line.cells) == 2 and _NUMBER_PATTERN.match(f"{line.cells[0].text} A"):  # noqa: PLR2004  a number and its title
        return False
    return bool(line.cells)


def _is_set_apart(lines: list[PdfLine], index: int, typography: Typography) -> bool:
    """Tell whether the gap above a line is larger than between lines of text."""
    if index == 0 or lines[index - 1].base <= lines[index].base:
        return True
    gap = lines[index - 1].base - lines[index].base
    return gap > _MIN_GAP_RATIO * typography.step * lines[index].size


def _has_heading_type(line: PdfLine, typography: Typography) -> bool:
    """Tell whether a line of the text's size is in capitals, or has a number and a slope."""
    number = _NUMBER_PATTERN.match(line.text)
    title = line.text[number.end() :] if number else line.text
    if (line.bold and not typography.bold) or _is_in_capitals(title):
        return True
    is_smaller = line.size * _MAX_SIZE_RATIO < typography.size
    differs = line.end_font != typography.font and (line.italic or not is_smaller)
    return number is not None and (differs or line.size > _MAX_SIZE_RATIO * typography.size)


def _is_in_capitals(title: str) -> bool:
    """Tell whether a title is words in capitals; a code or a date has other signs."""
    letters = sum(sign.isalpha() or sign.isspace() for sign in title)
    return title.isupper() and letters > max(_MIN_CAPITALS, _MIN_LETTER_SHARE * len(title))


def _heading_rank(line: PdfLine) -> tuple[float, int]:
    """Return a key that is smaller for a larger heading, and for a number of fewer parts."""
    size = round(line.size * 2) / 2
    number = _NUMBER_PATTERN.match(line.text)
    if number is None:
        return -size, 1 if line.bold or line.text.isupper() else 2
    if number["decimal"]:
        return -size, number["decimal"].count(".") + 1
    letters = number["roman"]
    if letters:
        return -size, 1 if line.text.isupper() or _ROMAN_PATTERN.fullmatch(letters) else 2
    return -size, 2 if number["joined"] else 1


def _add_outline_headings(
    pages: list[list[PdfLine]], found: list[dict[int, _Found]], outline: list[OutlineEntry]
) -> None:
    """Add the lines that the outline names, in its order, and its depths."""
    entries: dict[int, list[OutlineEntry]] = {}
    for entry in outline:
        if 0 <= entry.page < len(pages):
            entries.setdefault(entry.page, []).append(entry)
    for page, page_entries in entries.items():
        _match_entries(pages[page], found[page], page_entries)


def _match_entries(
    lines: list[PdfLine], headings: dict[int, _Found], entries: list[OutlineEntry]
) -> None:
    """Make headings of the lines that are titles of entries; those in heading type come first."""
    named: dict[str, list[OutlineEntry]] = {}
    for entry in entries:
        if key := _title_key(entry.title):
            named.setdefault(key, []).append(entry)
    places: dict[str, list[tuple[int, int]]] = {}
    for index, end, key in _named_lines(lines, named):
        places.setdefault(key, []).append((index, end))
    for key, spans in places.items():
        by_type = sorted(spans, key=lambda span: (span[0] not in headings, span[0]))
        chosen = sorted(by_type[: len(named[key])])
        for (index, end), entry in zip(chosen, named[key], strict=False):
            for inside in range(index, end):
                headings.pop(inside, None)
            rank = _heading_rank(lines[index])
            headings[index] = _Found(max(end, index + 1), rank, entry.depth, end == index)


def _named_lines(
    lines: list[PdfLine], named: dict[str, list[OutlineEntry]]
) -> Iterator[tuple[int, int, str]]:
    """Yield the first line, the end and the key of each title that stands on the page.

    The end is the first line itself where a paragraph follows the title on it.
    """
    longest = max(map(len, named), default=0)
    index = 0
    while index < len(lines):
        end, key = _named_end(lines, index, named, longest)
        if key:
            yield index, end, key
        index = max(end, index + 1)


def _named_end(
    lines: list[PdfLine], index: int, named: dict[str, list[OutlineEntry]], longest: int
) -> tuple[int, str]:
    """Return the end of the lines that are a title, and its key; the longest title counts."""
    if (run_in := _title_key(lines[index].run_in)) in named:
        return index, run_in
    text, best = "", (index, "")
    for end in range(index + 1, min(len(lines), index + _MAX_HEADING_LINES) + 1):
        text = f"{text} {lines[end - 1].text}"
        key = _title_key(text)
        if key in named:
            best = end, key
        if len(key) > longest:
            break
    return best


def _title_key(text: str) -> str:
    """Return the letters and digits of a title without its number, in lower case."""
    plain = unicodedata.normalize("NFKC", text).strip()
    number = _NUMBER_PATTERN.match(plain)
    return "".join(filter(str.isalnum, plain[number.end() if number else 0 :].lower()))


def _headings_with_levels(found: list[dict[int, _Found]]) -> list[dict[int, Heading]]:
    """Return the headings with levels: those of the outline, or by rank."""
    everything = [heading for page in found for _, heading in sorted(page.items())]
    first_depth = _first_outline_level(everything)
    by_outline = {
        heading.rank: heading.depth + first_depth
        for heading in reversed(everything)
        if heading.depth is not None
    }
    ranks = sorted({heading.rank for heading in everything})
    levels_by_rank = {rank: _FIRST_LEVEL + place for place, rank in enumerate(ranks)}
    levels: list[dict[int, Heading]] = []
    for page in found:
        levels.append({})
        for index, heading in page.items():
            if heading.depth is not None:
                level = heading.depth + first_depth
            else:
                level = by_outline.get(heading.rank, levels_by_rank[heading.rank])
            level = min(level, _LAST_LEVEL)
            levels[-1][index] = Heading(heading.end, level, heading.is_run_in)
    return levels


def _first_outline_level(headings: list[_Found]) -> int:
    """Return the level of the outline's first depth: below a title that is not in it."""
    for heading in headings:
        if heading.depth is not None:
            break
        if any(heading.rank < other.rank for other in headings if other.depth is not None):
            return _FIRST_LEVEL + 1
    return _FIRST_LEVEL
