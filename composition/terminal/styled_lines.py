"""Lines of styled text: measured in cells, wrapped, cut and painted."""

import re
import shlex
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, urlsplit

from .terminal_look import Meaning, TerminalLook, read_terminal_look

_MAX_LINK_CHARS = 2000
_RIGHT_TO_LEFT_CLASSES = frozenset({"R", "AL"})
# Unicode isolates keep right-to-left text from reordering the rest of the line (UAX 9).
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"


class Span(NamedTuple):
    """A piece of a line with one meaning; ``link`` is where it leads."""

    text: str
    meaning: Meaning = "plain"
    link: str = ""


# A letter, and the index of its span.
_Letter: TypeAlias = tuple[str, int]


def display_width(text: str) -> int:
    """Return how many columns a text takes: wide letters two, marks none (UAX 11).

    >>> display_width("潮汐 e\u0301")
    6
    """
    return len(text) if text.isascii() else sum(map(_letter_cells, text))


def _letter_cells(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def spans_width(spans: Iterable[Span]) -> int:
    """Return how many columns a line takes."""
    return sum(display_width(span.text) for span in spans)


def wrap_spans(
    spans: Sequence[Span],
    width: int,
    *,
    hang: int = 0,
    max_lines: int | None = None,
    ellipsis: str = "…",
) -> list[list[Span]]:
    """Wrap to ``width`` cells, later lines ``hang`` less; end with an ellipsis past max_lines."""
    letters = _span_letters(spans)
    lines: list[list[_Letter]] = []
    start = 0
    while start < len(letters):
        room = max(1, width - (hang if lines else 0))
        end, following = _find_line_break(letters, start, room)
        lines.append(letters[start:end])
        start = following
    if max_lines is not None and len(lines) > max_lines:
        lines = lines[:max_lines]
        room = width - (hang if max_lines > 1 else 0)
        lines[-1] = _truncate_letters(lines[-1], room, ellipsis)
    return [_letters_to_spans(line, spans) for line in lines] or [[]]


def _find_line_break(letters: Sequence[_Letter], start: int, room: int) -> tuple[int, int]:
    end, is_complete = _fitting_letters(letters, room, start)
    if is_complete:
        return end, end
    for index in range(end, start, -1):
        if letters[index][0] == " ":
            return index, index + 1
        # Chinese and Japanese have no blanks: a line may end at any wide letter.
        if _letter_cells(letters[index][0]) > 1 and index > start + 1:
            return index, index
    return max(end, start + 1), max(end, start + 1)


def _fitting_letters(letters: Sequence[_Letter], room: int, start: int = 0) -> tuple[int, bool]:
    used = 0
    for index in range(start, len(letters)):
        letter = letters[index][0]
        used += 1 if letter.isascii() else _letter_cells(letter)
        if used > room:
            return index, False
    return len(letters), True


def _letters_to_spans(line: Sequence[_Letter], spans: Sequence[Span]) -> list[Span]:
    runs = groupby(line, lambda letter: spans[letter[1]][1:])
    if pieces := [Span("".join(letter for letter, _ in run), *style) for style, run in runs]:
        pieces[-1] = pieces[-1]._replace(text=pieces[-1].text.rstrip(" "))
    return pieces


def paint_spans(spans: Iterable[Span], look: TerminalLook) -> str:
    """Return a line as the terminal takes it."""
    return "".join(_paint_span(span, look) for span in spans if span.text)


def _paint_span(span: Span, look: TerminalLook) -> str:
    text = span.text
    classes = map(unicodedata.bidirectional, text)
    if look.person and not text.isascii() and not _RIGHT_TO_LEFT_CLASSES.isdisjoint(classes):
        text = f"{_ISOLATE}{text}{_END_ISOLATE}"
    escape = look.escape_numbers(span.meaning)
    styled = f"\x1b[{escape}m{text}\x1b[0m" if escape else text
    target = link_target(span.link) if look.links and span.link else ""
    return f"\x1b]8;;{target}\x1b\\{styled}\x1b]8;;\x1b\\" if target else styled


def link_target(url: str) -> str:
    """Return a URL fit for a terminal's link: http(s), no user, ASCII; else nothing.

    >>> link_target("https://a.example/é")
    'https://a.example/%C3%A9'
    """
    is_web = re.match(r"https?://", url, re.IGNORECASE) is not None
    if not is_web or len(url) > _MAX_LINK_CHARS or "@" in urlsplit(url).netloc:
        return ""
    return quote(url, safe="%/:=&?~#+!$,;'@()*[]")


def truncate_middle(text: str, room: int, ellipsis: str = "…") -> str:
    """Return a text with its middle cut away, so that its beginning and its end are seen.

    >>> truncate_middle("tides.example/a/very/long/path.html", 20)
    'tides.exam…path.html'
    """
    if display_width(text) <= room:
        return text
    tail = max(1, (room - display_width(ellipsis)) // 2)
    head = max(1, room - display_width(ellipsis) - tail)
    return f"{_truncate_to_cells(text, head)}{ellipsis}{_truncate_to_cells(text[::-1], tail)[::-1]}"


def truncate_end(spans: Sequence[Span], room: int, ellipsis: str = "…") -> list[Span]:
    """Return spans truncated to ``room`` cells, at any letter, with an ellipsis."""
    if spans_width(spans) <= room:
        return list(spans)
    return _letters_to_spans(_truncate_letters(_span_letters(spans), room, ellipsis), spans)


def _truncate_letters(letters: Sequence[_Letter], room: int, ellipsis: str) -> list[_Letter]:
    """Return the letters that fit with an ellipsis, which looks like the last of them."""
    end, _ = _fitting_letters(letters, max(1, room - display_width(ellipsis)))
    while end > 1 and letters[end - 1][0] == " ":
        end -= 1
    return [*letters[:end], *((letter, letters[max(end, 1) - 1][1]) for letter in ellipsis)]


def _truncate_to_cells(text: str, room: int) -> str:
    return text[: _fitting_letters(_span_letters([Span(text)]), room)[0]]


def _span_letters(spans: Sequence[Span]) -> list[_Letter]:
    return [(letter, index) for index, span in enumerate(spans) for letter in span.text]


def fact_footer(texts: Iterable[str], look: TerminalLook, *, indent: int = 0) -> Iterator[str]:
    """Yield a quiet footer: facts between dots; one that does not fit moves down whole."""
    blank, line = " " * indent, ""
    for text in filter(None, texts):
        longer = f"{line}{look.symbols.dot}{text}" if line else text
        if line and look.person and indent + display_width(longer) > look.width:
            yield blank + paint_spans([Span(line, "quiet")], look)
            longer = text
        line = longer
    if line:
        yield blank + paint_spans([Span(line, "quiet")], look)


def shell_quote(words: str) -> str:
    r"""Return words for a command line, quoted if a shell would interpret them.

    >>> print(shell_quote("tide tables"), "|", shell_quote("new; tides"))
    tide tables | 'new; tides'
    """
    plain = re.fullmatch(r"[\w@%+=:,./ -]+", words) is not None and not words.startswith("-")
    return words if plain else shlex.quote(words)


class NextStep(NamedTuple):
    """What can be typed next: a label, the command, why."""

    label: str
    command: str
    remark: str = ""


def step_lines(steps: Sequence[NextStep], look: TerminalLook, *, indent: int = 2) -> Iterator[str]:
    """Yield what can be typed next; a command is never cut or broken."""
    widest = max((display_width(step.label) for step in steps), default=0)
    for label, command, note in steps:
        pad = " " * (widest - display_width(label))
        cells = indent + widest + 2 + display_width(command) + 3 + display_width(note)
        fits = not look.person or cells <= look.width
        first = [Span(f"{' ' * indent}{label}{pad}  ", "quiet"), Span(command, "type")]
        if note and fits:
            first.append(Span(f"   {note}", "quiet"))
        yield paint_spans(first, look)
        if note and not fits:
            yield from hanging_lines([Span(note, "quiet")], look, indent=indent + widest + 2)


def hanging_lines(
    spans: Sequence[Span], look: TerminalLook, *, indent: int = 0, hang: int = 0
) -> Iterator[str]:
    """Yield a line, wrapped under itself where a person is looking."""
    blank = " " * indent
    if not look.person:
        yield blank + paint_spans(spans, look)
        return
    for number, line in enumerate(wrap_spans(spans, look.width - indent, hang=hang)):
        yield blank + " " * (hang if number else 0) + paint_spans(line, look)


def print_wrapped_lines(lines: Iterable[str]) -> None:
    """Print lines, each wrapped between words where a person is looking."""
    look = read_terminal_look(sys.stdout)
    for line in lines:
        print("\n".join(hanging_lines([Span(line)], look, hang=2)))


def labelled_lines(label: str, text: str, look: TerminalLook) -> Iterator[str]:
    """Yield a label and a text that is never cut, such as a path; on two lines if too wide."""
    if not look.person or display_width(f"{label} {text}") <= look.width:
        yield f"{label} {text}"
    else:
        yield from (label, f"  {text}")


class Column(NamedTuple):
    """A table column. Without room, columns are dropped in the order of ``drop``; 0 stays."""

    head: str
    drop: int = 0
    right: bool = False


Cell = Span | Sequence[Span]


def table_lines(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    look: TerminalLook,
    *,
    indent: int = 0,
) -> Iterator[str]:
    """Yield a head and the rows; columns go until the rest fits, and only then the last is cut."""
    indexes = _fit_columns(columns, rows, look.width - indent if look.person else 0)
    heads = [[Span(columns[index].head, "quiet")] for index in indexes]
    body = [[_cell_spans(row[index]) for index in indexes] for row in rows]
    lines = [*([heads] if any(column.head for column in columns) else []), *body]
    widths = [max(map(spans_width, column)) for column in zip(*lines, strict=True)]
    if look.person and indexes:
        widths[-1] = min(widths[-1], look.width - indent - sum(widths[:-1]) - 2 * len(indexes[:-1]))
    for line in lines:
        padded = [
            _pad_cell(cell, width, look, right=columns[index].right)
            for cell, width, index in zip(line, widths, indexes, strict=True)
        ]
        yield " " * indent + "  ".join(padded).rstrip()


def _fit_columns(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> list[int]:
    indexes = list(range(len(columns)))
    if not room:
        return indexes
    widths = [
        max([display_width(column.head), *(spans_width(_cell_spans(row[index])) for row in rows)])
        for index, column in enumerate(columns)
    ]
    droppable = [index for index in indexes if columns[index].drop]
    for index in sorted(droppable, key=lambda index: columns[index].drop):
        if sum(widths[shown] for shown in indexes) + 2 * (len(indexes) - 1) <= room:
            break
        indexes.remove(index)
    return indexes


def _cell_spans(cell: Cell) -> list[Span]:
    return [cell] if isinstance(cell, Span) else list(cell)


def _pad_cell(cell: list[Span], width: int, look: TerminalLook, *, right: bool) -> str:
    if look.person and spans_width(cell) > width:
        cell = truncate_end(cell, max(width, 4), look.symbols.cut)
    blank = " " * max(0, width - spans_width(cell))
    painted = paint_spans(cell, look)
    return blank + painted if right else painted + blank


def fact_lines(fields: Mapping[str, object], look: TerminalLook) -> Iterator[str]:
    """Yield a line for each field: a dim name and its value."""
    rows = [(Span(name, "quiet"), Span(_figure_text(fact, look))) for name, fact in fields.items()]
    yield from table_lines((Column(""), Column("", right=True)), rows, look)


def _figure_text(value: object, look: TerminalLook) -> str:
    return f"{value:,}" if isinstance(value, int) and look.person else str(value)
