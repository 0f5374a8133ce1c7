"""Candidates from the linked data of a page, and from its meta tags.

A thing is what the page is about if it has the wanted type. Where several have, it is the one that
the title of the page names. Related products and reviews are other subjects.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from webseam.ports.data import DataField, DataPage, LinkedThing, PlainValue

from .money_forms import format_money
from .number_forms import parse_number
from .plain_values import parse_text
from .text_forms import plain_text, squeeze
from .vocabulary import FRAME_TYPES, OTHER_SUBJECTS, THING_TYPES

SOURCE: Final = "linked data"
_MAX_REFERENCE_KEYS: Final = 2
_MAX_VALUES: Final = 500
_MAX_SHOWN: Final = 3
_MAX_TEXTS_DEPTH: Final = 6
_TEXT_KEYS: Final = ("text", "name", "@value", "value", "url", "@id")


class Candidate(NamedTuple):
    """A value that a witness offers; None is several values where one is wanted."""

    value: PlainValue | None
    path: str
    shown: str = ""


class LinkedData:
    """The linked data of one page, read for one kind of thing."""

    def __init__(self, page: DataPage, thing: str) -> None:
        self._page = page
        things = [it for _, it in page.things if len(it) > _MAX_REFERENCE_KEYS]
        self._by_id = {
            name: it for it in reversed(things) if isinstance(name := it.get("@id"), str)
        }
        self._subjects = self._find_subjects(thing)

    @property
    def site_names(self) -> Iterator[str]:
        """The names of the publisher and of the site."""
        for _, thing in self._page.things:
            if isinstance(publisher := thing.get("publisher"), dict) and _is_no_person(publisher):
                yield from _texts(publisher.get("name"))
            if _is_no_person(thing) and not {
                "website",
                "organization",
                "newsmediaorganization",
            }.isdisjoint(_types(thing)):
                yield from _texts(thing.get("name"))

    def candidates(self, field: DataField) -> Iterator[Candidate]:
        """Yield what each subject says of a field, from the first place that has a value."""
        for path, thing in self._subjects:
            for name in field.paths:
                candidate = self._read_place(field, thing, name)
                if candidate is not None:
                    yield candidate._replace(path=f"{path}.{name}")
                    break
        if field.role != "heading":
            yield from self.previews(field)

    def previews(self, field: DataField) -> Iterator[Candidate]:
        """Yield what the meta tags say of a field."""
        for name in field.metas:
            text = self._page.metas.get(name, "")
            values = [parsed] if (parsed := parse_text(field, plain_text(text))) else []
            if values and field.kind != "money":
                yield Candidate(tuple(values) if field.many else values[0], f"meta {name}")
                return

    def _find_subjects(self, kind: str) -> list[tuple[str, LinkedThing]]:
        others = _other_subjects(self._page.things)
        own = [entry for entry in self._page.things if id(entry[1]) not in others]
        wanted = THING_TYPES.get(kind, kind).split()
        things = [entry for entry in own if not _types(entry[1]).isdisjoint(wanted)]
        if not things:
            # A name of the user's own: everything that is not on pages of every kind.
            known = {name for names in THING_TYPES.values() for name in names.split()}
            is_own_name = kind not in known and kind not in THING_TYPES
            things = [it for it in own if is_own_name and _is_subject_type(_types(it[1]))]
        if len({squeeze(_name(thing)) for _, thing in things}) <= 1:
            return things
        titles = squeeze(f"{self._page.title} {self._page.metas.get('og:title', '')}")
        named = [it for it in things if _name(it[1]) and squeeze(_name(it[1])) in titles]
        return named or things

    def _read_place(self, field: DataField, thing: LinkedThing, path: str) -> Candidate | None:
        if field.kind == "money":
            return self._read_money(thing, path)
        values = self._follow([thing], path.split("."))
        texts = [text for value in values for text in _texts(self._resolve(value))]
        parsed = [plain for text in texts if (plain := parse_text(field, text))]
        if not parsed:
            return None
        if len(parsed) > _MAX_VALUES:
            return Candidate(None, "", f"{len(parsed)} values")
        if field.many:
            return Candidate(tuple(parsed), "")
        if len(set(parsed)) > 1:
            return Candidate(None, "", " | ".join(parsed[:_MAX_SHOWN]))
        if path.endswith("ratingValue") and self._is_above_best(thing, parsed[0]):
            return Candidate(None, "", f"{parsed[0]}, above the best rating")
        return Candidate(parsed[0], "")

    def _read_money(self, thing: LinkedThing, path: str) -> Candidate | None:
        """Read an amount with the currency that stands beside it."""
        *around, name = path.split(".")
        amounts: set[str] = set()
        for holder in self._follow([thing], around):
            if isinstance(holder, dict):
                codes = list(_texts(holder.get("priceCurrency") or holder.get("currency")))
                for text in _texts(holder.get(name)):
                    if codes and (plain := format_money(text, codes[0])):
                        amounts.add(plain)
        if len(amounts) > 1:
            return Candidate(None, "", " | ".join(sorted(amounts)[:_MAX_SHOWN]))
        return Candidate(amounts.pop(), "") if amounts else None

    def _is_above_best(self, thing: LinkedThing, rating: str) -> bool:
        for value in self._follow([thing], ["aggregateRating", "bestRating"]):
            best = parse_number(str(value))
            if best is not None and Decimal(rating) > best:
                return True
        return False

    def _follow(self, values: Iterable[object], names: list[str]) -> list[object]:
        reached = list(values)
        for name in names:
            holders = [self._resolve(value) for value in _flat(reached)]
            inner = [holder.get(name) for holder in holders if isinstance(holder, dict)]
            reached = [value for value in inner if value is not None][:_MAX_VALUES]
        return list(_flat(reached))

    def _resolve(self, value: object) -> object:
        """Return the thing that a reference by id names; any other value as it is."""
        if isinstance(value, dict) and len(value) <= _MAX_REFERENCE_KEYS:
            name = value.get("@id")
            return self._by_id.get(name, value) if isinstance(name, str) else value
        return value


def _other_subjects(things: Iterable[tuple[str, LinkedThing]]) -> set[int]:
    """Return the identities of all objects inside a property that names other subjects."""
    others: set[int] = set()
    waiting = [
        value for _, thing in things for name, value in thing.items() if name in OTHER_SUBJECTS
    ]
    while waiting:
        value = waiting.pop()
        if id(value) in others or not isinstance(value, dict | list):
            continue
        others.add(id(value))
        waiting += value.values() if isinstance(value, dict) else value
    return others


def _types(thing: LinkedThing) -> set[str]:
    kinds = thing.get("@type")
    names = kinds if isinstance(kinds, list) else [kinds]
    local = (re.split(r"[/:#]", str(name).rstrip("/"))[-1] for name in names)
    return {name.lower() for name in local}


def _is_no_person(thing: LinkedThing) -> bool:
    """Tell whether a thing is no person; one who publishes a site may write for it too."""
    return "person" not in _types(thing)


def _is_subject_type(types: set[str]) -> bool:
    return types != {"none"} and types.isdisjoint(FRAME_TYPES)


def _name(thing: LinkedThing) -> str:
    texts = (text for key in ("name", "headline") for text in _texts(thing.get(key)))
    return next(texts, "")


def _flat(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the plain texts of a value; of a thing its name, its parts, or its text."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        if text := plain_text(str(value)):
            yield text
    elif isinstance(value, list) and depth < _MAX_TEXTS_DEPTH:
        for entry in value:
            yield from _texts(entry, depth + 1)
    elif isinstance(value, dict) and depth < _MAX_TEXTS_DEPTH:
        parts = value.get("itemListElement")
        if isinstance(parts, list | dict):
            yield from _texts(parts, depth + 1)
            return
        is_step = "howtostep" in _types(value)
        for key in _TEXT_KEYS if is_step else ("name", *_TEXT_KEYS):
            texts = list(_texts(value.get(key), depth + 1))
            if texts:
                yield from texts
                return
