"""Define typed values from a page: the wanted fields, what the page offers, and the proof."""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from .dates import MaxAge
from .receipts import ExtractReceipt
from .result_texts import escape_html, html_table

# text: words. choice: one of the given words. number, duration, day, moment: a value that a page
# may write in several ways. money: a number with its currency.
FieldKind: TypeAlias = Literal["text", "choice", "number", "duration", "day", "moment", "money"]
# heading: a whole heading. name: of a person. brand: of a maker. identifier: one token with a
# digit. price: a number beside a currency. plain: none of these.
FieldRole: TypeAlias = Literal["plain", "heading", "name", "brand", "identifier", "price"]
# missing: no witness has a value. ambiguous: several values, or a value of unclear extent.
# disagrees: two witnesses differ, or the page says something else. not_visible: no visitor sees
# it. not_labelled: it is seen, and nothing says that it is this. template_changed: the page has no
# place like that of the site's rule.
RefusalReason: TypeAlias = Literal[
    "missing", "ambiguous", "disagrees", "not_visible", "not_labelled", "template_changed"
]
LinkedThing: TypeAlias = Mapping[str, object]


class DataField(msgspec.Struct, frozen=True, kw_only=True):
    """One value that is wanted from a page.

    ``name`` has dots between a nested Struct and its fields. ``paths`` and ``metas`` say where
    linked data and meta tags have the value, the best first; ``labels`` are beginnings of words
    that stand beside it. ``unseen`` accepts a value that no visitor sees. ``choices`` are the only
    values of a choice; ``whole`` wants a number without a fraction. ``null`` stands for a value
    that is absent, where a JSON Schema wants one or the other.
    """

    name: str
    kind: FieldKind
    role: FieldRole = "plain"
    many: bool = False
    paths: tuple[str, ...] = ()
    metas: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    unseen: bool = False
    required: bool = True
    whole: bool = False
    null: bool = False


class DataSchema(msgspec.Struct, frozen=True, kw_only=True):
    """The wanted fields, and the type of the thing that they describe: ``recipe``."""

    thing: str
    fields: tuple[DataField, ...]


class PageBox(NamedTuple):
    """An element and its span in the visible text, without the blanks at its ends.

    ``parent`` is the index of the box around it, -1 for the first. ``make`` is its tag with its
    classes, without their figures: elements of one list have one. ``menu`` tells that it stands in
    navigation, in a footer or in a dialog.
    """

    tag: str
    make: str
    parent: int
    start: int
    end: int
    menu: bool


class DayReading(NamedTuple):
    """A span of the visible text that is a date, and the days that it can mean."""

    start: int
    end: int
    days: frozenset[date]


class DataPage(msgspec.Struct, frozen=True, kw_only=True):
    """What a visitor sees of a page, and what the page tells machines.

    ``text`` has a line for each block. ``boxes`` stand in the order of the page. ``things`` are
    the objects of its linked data with their places, the outer ones first.
    """

    url: str
    title: str
    text: str
    boxes: tuple[PageBox, ...]
    days: tuple[DayReading, ...]
    things: tuple[tuple[str, LinkedThing], ...]
    metas: Mapping[str, str]


class Quote(msgspec.Struct, frozen=True):
    """Words of a page: they are ``page_text[start:end]``."""

    text: str
    start: int
    end: int


class Basis(msgspec.Struct, frozen=True, kw_only=True):
    """Why a value is given: who said it and where, the words that show it, who else agreed.

    ``handle`` leads to the text that the quotes stand in, if it was stored.
    """

    source: str
    path: str
    quotes: tuple[Quote, ...] = ()
    agreed: tuple[str, ...] = ()
    unseen: bool = False
    handle: str | None = None


class OfferedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that was offered for a field, as text, and where it stands."""

    value: str
    path: str


class RefusedField(msgspec.Struct, frozen=True, kw_only=True):
    """Why a value is absent, and what was offered."""

    reason: RefusalReason
    seen: tuple[OfferedValue, ...] = ()


# A value in the form of JSON: text, or a list of texts. Numbers keep their digits, durations and
# days are those of ISO 8601.
PlainValue: TypeAlias = str | tuple[str, ...]


# What a model says of fields by their names, as texts that nobody has checked.
Said: TypeAlias = Mapping[str, PlainValue]


class ProvedField(msgspec.Struct, frozen=True, kw_only=True):
    """A proved value in plain form, and its basis."""

    value: PlainValue
    basis: Basis


class PageValues(msgspec.Struct, frozen=True, kw_only=True):
    """What a page proves of a schema: every field is in one of the two."""

    text: str
    proved: Mapping[str, ProvedField]
    refused: Mapping[str, RefusedField]


class Money(msgspec.Struct, frozen=True):
    """An amount and the ISO 4217 code of its currency."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{self.amount:f} {self.currency}"


# The shipped types, by their names at a terminal and in tools.
LikeName: TypeAlias = Literal["recipe", "product", "article", "event", "job", "dataset"]


class DataArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page, and what is wanted of it: a JSON Schema, or a shipped type."""

    url: str
    # Any instead of object: msgspec makes no schema for object.
    schema: dict[str, Any] | None = None
    like: LikeName | None = None
    max_age: MaxAge | None = None


Wanted = TypeVar("Wanted")


class Data(msgspec.Struct, Generic[Wanted], frozen=True, kw_only=True):
    """The values of a page, the basis of each, and the reason for each absent one.

    Every field stands in ``basis`` or in ``refused``. ``text`` is the visible text of the page:
    a quote is ``text[start:end]``. ``receipt`` says how the page was read, if it was fetched. As a
    mapping, it has the given values by the names of fields.
    """

    value: Wanted
    basis: Mapping[str, Basis]
    refused: Mapping[str, RefusedField]
    text: str
    url: str = ""
    receipt: ExtractReceipt | None = None

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  the user's own type
        value: Any = self.value
        if name not in self.basis:
            raise KeyError(name)
        for part in name.split("."):
            value = value[part] if isinstance(value, Mapping) else getattr(value, part)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.basis)

    def __len__(self) -> int:
        return len(self.basis)

    def __contains__(self, name: object) -> bool:
        return name in self.basis

    def keys(self) -> list[str]:
        """Return the names of the given values."""
        return list(self.basis)

    def values(self) -> list[Any]:
        """Return the given values."""
        return [self[name] for name in self]

    def items(self) -> list[tuple[str, Any]]:
        """Return the names with the given values."""
        return [(name, self[name]) for name in self]

    def get(self, name: str, default: Any = None, /) -> Any:  # noqa: ANN401  as above
        """Return a value; ``default`` if it is not given."""
        if name not in self.basis:
            return default
        return self[name]

    def __str__(self) -> str:
        return "\n".join(f"{name}: {value}  ({proof})" for name, value, proof in self.rows())

    def rows(self) -> list[tuple[str, str, str]]:
        """Return the name of each field, its value as text, and the proof or the reason."""
        rows = [(name, value_text(self[name]), basis_text(self.basis[name])) for name in self]
        rows += [(name, "not given", refusal_text(it)) for name, it in self.refused.items()]
        return rows

    def _repr_html_(self) -> str:
        rows = self.rows()
        return html_table(
            ("field", "value", "proof"), (tuple(map(escape_html, row)) for row in rows)
        )


Mapping.register(Data)


def value_text(value: object) -> str:
    """Return a value as a person reads it; the items of a list stand between bars."""
    if isinstance(value, list | tuple):
        return " | ".join(map(value_text, value))
    return str(value)


def basis_text(basis: Basis) -> str:
    """Return the quotes of a value, and where it was said."""
    if basis.unseen:
        return f"unseen, {basis.path}"
    quotes = ", ".join(f"“{quote.text}”" for quote in basis.quotes)
    return f"{quotes}, {basis.path}"


def refusal_text(refused: RefusedField) -> str:
    """Return why a value is not given, and what was offered."""
    offers = "; ".join(f"{it.path} says {it.value}" for it in refused.seen)
    reason = refused.reason.replace("_", " ")
    return f"{reason}: {offers}" if offers else reason
