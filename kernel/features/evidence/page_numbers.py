"""Find the page of a printed document that an offset of its text is on."""

import re
from bisect import bisect_right

import msgspec

# The reader writes this heading above each page of a PDF that has text.
_PAGE_PATTERN = re.compile(r"## Page ([1-9]\d{0,5})")
_HEADING_PATTERN = re.compile(r"#{1,2}[ \t]")
_FENCE_PATTERN = re.compile(r"`{3,}|~{3,}")


class PageMark(msgspec.Struct, frozen=True, gc=False):
    """Where a page begins in a text, and its number."""

    start: int
    number: int


def find_page_marks(text: str) -> tuple[PageMark, ...]:
    """Return where the pages of a PDF begin; none in another text.

    The headings of its first two levels are all pages, and their numbers grow: a document that has
    a chapter called "Page 3" has other headings, too.
    """
    marks: list[PageMark] = []
    offset = 0
    fence = ""
    for line in text.split("\n"):
        start, offset = offset, offset + len(line) + 1
        if fenced := _FENCE_PATTERN.match(line):
            if not fence:
                fence = fenced[0]
            elif line.startswith(fence):
                fence = ""
        if fence or not _HEADING_PATTERN.match(line):
            continue
        page = _PAGE_PATTERN.fullmatch(line.rstrip())
        number = int(page[1]) if page else 0
        if number <= (marks[-1].number if marks else 0):
            return ()
        marks.append(PageMark(start, number))
    return tuple(marks)


def page_number(marks: tuple[PageMark, ...], offset: int) -> int | None:
    """Return the number of the page that an offset is on, None before the first page."""
    index = bisect_right(marks, offset, key=lambda mark: mark.start)
    return marks[index - 1].number if index else None
