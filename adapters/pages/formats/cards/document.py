"""Events, tasks and contacts, each under its name with what is said of it."""

import re
from collections.abc import Iterator
from typing import Final

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ...text import one_line
from ..detection.charset import clipped
from ..draft import Draft, Source, page_of
from ..markup import item, tamed
from ..plain import read_text
from .lines import Line, lines_of, plain

_KINDS: Final = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Entry", "VCARD": "Contact"}
_NAMES: Final = ("SUMMARY", "FN", "N", "ORG")
_TEXTS: Final = ("DESCRIPTION", "NOTE", "COMMENT")
_LABELS: Final = {
    "DTSTART": "Begins",
    "DTEND": "Ends",
    "RRULE": "Repeats",
    "RDATE": "Also on",
    "EXDATE": "Not on",
    "TEL": "Phone",
    "ADR": "Address",
    "ORG": "Organization",
    "BDAY": "Birthday",
    "URL": "URL",
}
# What only programs read, and pictures.
_HIDDEN_NAMES: Final = (
    "BEGIN END UID DTSTAMP CREATED LAST-MODIFIED SEQUENCE PRODID VERSION TRANSP CLASS REV PHOTO"
    " LOGO SOUND KEY N FN SUMMARY PRIORITY MAILER SORT-STRING RECURRENCE-ID LABEL"
)
_UNSEEN: Final = frozenset(_HIDDEN_NAMES.split())
_TIME: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z?))?")
_MOST: Final = 5_000


def read_cards(source: Source) -> Result[ReadPage, WebError]:
    """Return each event, task or contact as a section; a text without one stays text."""
    text, notes = clipped(source)
    calendar: dict[str, str] = {}
    cards: list[str] = []
    for card in _cards(text, calendar):
        if len(cards) == _MOST:
            notes = (*notes, f"only the first {_MOST:,} entries")
            break
        cards.append(_section(card))
    if not cards:
        return read_text(source)
    title = one_line(plain(calendar.get("X-WR-CALNAME") or calendar.get("NAME", "")))
    return page_of(
        Draft(
            content="\n\n".join(cards),
            title=title or source.file_name,
            description=plain(calendar.get("X-WR-CALDESC", "")),
            notes=notes,
        )
    )


def _cards(text: str, calendar: dict[str, str]) -> Iterator[list[Line]]:
    """Yield the lines of each; those around them are what the calendar says of itself."""
    around: list[tuple[str, list[Line]]] = [("", [])]
    for line in lines_of(text):
        name, held = around[-1]
        if line.name == "BEGIN":
            around.append((line.value.strip().upper(), [line]))
        elif line.name == "END" and name:
            around.pop()
            yield from [held] if name in _KINDS else ()
        elif name == "VCALENDAR":
            calendar.setdefault(line.name, line.value)
        else:
            held.append(line)


def _section(card: list[Line]) -> str:
    said = {line.name: line.value for line in reversed(card)}
    names = (_parts(said.get(name, "")) for name in _NAMES)
    name = next((name for name in names if name), _KINDS[card[0].value.strip().upper()])
    facts = [_fact(line) for line in card if _is_shown(line)]
    texts = [tamed(plain(line.value)).strip() for line in card if line.name in _TEXTS]
    pieces = (f"## {tamed(name)}", "\n".join(filter(None, facts)), *texts)
    return "\n\n".join(piece for piece in pieces if piece)


def _is_shown(line: Line) -> bool:
    return line.name not in (*_UNSEEN, *_TEXTS) and not line.name.startswith("X-")


def _fact(line: Line) -> str:
    label = _LABELS.get(line.name, line.name.replace("-", " ").capitalize())
    kinds = line.told.get("TYPE", "").lower().replace(",", ", ")
    value = _said(line)
    shown = f"{label}{f' ({kinds})' if kinds else ''}: {value}"
    return item("- ", tamed(shown)) if value else ""


def _said(line: Line) -> str:
    if line.name in ("ORGANIZER", "ATTENDEE"):
        name, address = line.told.get("CN", ""), line.value[7:] if _is_mail(line) else ""
        return f"{name} <{address}>" if name and address else name or address
    time = _TIME.fullmatch(line.value.strip())
    return _clock(line, time) if time else _parts(line.value)


def _is_mail(line: Line) -> bool:
    return line.value[:7].lower() == "mailto:"


def _clock(line: Line, time: re.Match[str]) -> str:
    """Return a time as people write it, with its zone."""
    day = "-".join(time.group(1, 2, 3))
    if not time[4]:
        return day
    zone = "UTC" if time[6] else line.told.get("TZID", "")
    return f"{day} {time[4]}:{time[5]} {zone}".strip()


def _parts(value: str) -> str:
    """Return the parts of a name or an address, which semicolons part, in one line."""
    parts = re.split(r"(?<!\\);", value)
    return one_line(", ".join(part for part in map(plain, parts) if part.strip()), 2000)
