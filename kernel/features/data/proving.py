"""Settle each field of a schema: witnesses offer values, and the checker judges them.

The witnesses speak in turn, linked data first. The first that is proved decides; a later one can
agree, or refuse the field by proving something else. It never replaces a value that was offered
and refused, but for one that no visitor sees: then the page speaks for itself. A model is heard
last, and refuses nothing.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from webseam.ports.data import (
    Basis,
    DataField,
    DataPage,
    DataSchema,
    OfferedValue,
    PageValues,
    PlainValue,
    ProvedField,
    Quote,
    RefusedField,
    Said,
)
from webseam.ports.data_rules import FieldRule, SiteRules

from . import labels, linked_data, places
from .checker import Checker, is_other_title
from .linked_data import Candidate, LinkedData
from .money_forms import format_money
from .number_forms import number_values
from .page_index import PageIndex
from .plain_values import is_same_value, parse_text
from .text_forms import is_same_words, squeeze

_MAX_CANDIDATES: Final = 20
_NOTHING_SAID: Final[Said] = {}
_MODEL: Final = "model"
_MAX_SHOWN_ITEMS: Final = 5
_MAX_SHOWN_CHARS: Final = 200
_TITLE_MARKS: Final = (" - ", " – ", " — ", " | ", " » ", " · ", " • ")


class Offers(NamedTuple):
    """What one witness offers for a field; ``expected`` is the place that a rule did not find."""

    source: str
    candidates: Sequence[Candidate]
    expected: str = ""


def prove(
    page: DataPage,
    schema: DataSchema,
    *,
    rules: SiteRules | None = None,
    said: Said = _NOTHING_SAID,
) -> PageValues:
    """Return what a page proves of the fields of a schema, and why it does not prove the others.

    ``rules`` are those that were learned for its site and this schema. ``said`` is what a model
    says of the fields.
    """
    index = PageIndex(page)
    linked = LinkedData(page, schema.thing)
    checker = Checker(index, _site_names(page, linked))
    pairs = labels.page_labels(index)
    proved: dict[str, ProvedField] = {}
    refused: dict[str, RefusedField] = {}
    for field in schema.fields:
        all_offers = [
            Offers(linked_data.SOURCE, list(linked.candidates(field))),
            Offers(labels.SOURCE, list(labels.label_candidates(index, field, pairs))),
        ]
        previews: list[Candidate] = []
        if field.role == "heading":
            # The title of a preview is written for other places than the page.
            previews = list(linked.previews(field))
            all_offers.append(Offers(linked_data.SOURCE, previews))
        rule = None if rules is None else rules.fields.get(field.name)
        if rule is not None:
            all_offers.append(_rule_offers(index, field, rule))
        settled = settle(checker, field, all_offers)
        if field.role == "heading" and isinstance(settled, ProvedField):
            settled = _hear_previews(settled, previews)
        settled = hear_last(checker, field, settled, _read_model_offers(field, said))
        if isinstance(settled, ProvedField):
            proved[field.name] = settled
        else:
            refused[field.name] = settled
    return PageValues(text=page.text, proved=proved, refused=refused)


def _rule_offers(index: PageIndex, field: DataField, rule: FieldRule) -> Offers:
    value = places.read_rule(index, field, rule)
    expected = places.describe_rule(rule)
    if value is None:
        return Offers(places.SOURCE, [], expected)
    return Offers(places.SOURCE, [Candidate(value, f"rule {expected}")])


def settle(
    checker: Checker, field: DataField, all_offers: Sequence[Offers]
) -> ProvedField | RefusedField:
    """Return the proved value of a field, or why there is none."""
    first: ProvedField | None = None
    refusal = RefusedField(reason="missing")
    for offers in all_offers:
        settled = _settle_offers(checker, field, offers)
        if isinstance(settled, RefusedField):
            if refusal.reason == "missing":
                refusal = settled
        elif first is None:
            if not _may_follow(settled, refusal):
                return refusal
            first = settled
        elif _is_other_value(field, first.value, settled.value):
            return RefusedField(reason="disagrees", seen=(_offered(first), _offered(settled)))
        else:
            first = _with_agreement(first, settled)
    return refusal if first is None else first


def _read_model_offers(field: DataField, said: Said) -> Offers:
    """Return what a model says of a field; what no visitor sees could not be checked."""
    value = said.get(field.name)
    if value is None or field.unseen:
        return Offers(_MODEL, [])
    texts = value if isinstance(value, tuple) else (value,)
    parsed = tuple(plain for text in texts if (plain := _parse_said(field, text)) is not None)
    if len(parsed) < len(texts) or isinstance(value, tuple) != field.many:
        return Offers(_MODEL, [])
    offered = parsed if field.many else parsed[0]
    return Offers(_MODEL, [Candidate(offered, f"answer.{field.name}")])


def _parse_said(field: DataField, text: str) -> str | None:
    if field.kind == "money":
        amount, _, currency = text.rpartition(" ")
        return format_money(amount, currency)
    return parse_text(field, " ".join(text.split()))


def hear_last(
    checker: Checker, field: DataField, settled: ProvedField | RefusedField, offers: Offers
) -> ProvedField | RefusedField:
    """Hear a witness that can add a value or agree, and changes and withdraws none.

    A text that it adds has the words of the page. That a figure means this field is only its word,
    unless a label says so.
    """
    heard = _settle_offers(checker, field, offers)
    if isinstance(heard, ProvedField) and not _has_meaning(checker, field, heard):
        heard = RefusedField(reason="not_labelled", seen=(_offered(heard),))
    if isinstance(heard, RefusedField):
        return heard if settled == RefusedField(reason="missing") else settled
    if isinstance(settled, ProvedField):
        is_same = is_same_value(field, settled.value, heard.value)
        return _with_agreement(settled, heard) if is_same else settled
    return _in_page_words(field, heard) if _may_follow(heard, settled) else settled


def _has_meaning(checker: Checker, field: DataField, proved: ProvedField) -> bool:
    """Tell whether the page itself says what a figure or an identifier of a model means."""
    is_figure = field.kind in {"number", "duration", "day", "moment"}
    # A price stands beside its currency.
    if field.role == "price" or not (is_figure or field.role == "identifier"):
        return True
    return checker.has_labels(field, proved.basis.quotes)


def _in_page_words(field: DataField, proved: ProvedField) -> ProvedField:
    if field.kind != "text":
        return proved
    texts = tuple(" ".join(quote.text.split()) for quote in proved.basis.quotes)
    return ProvedField(value=texts if field.many else texts[0], basis=proved.basis)


def _hear_previews(
    proved: ProvedField, previews: Sequence[Candidate]
) -> ProvedField | RefusedField:
    """Refuse a headline that has another version in a preview.

    An article may have two headlines of equal right. A product or a recipe has one name, and its
    preview an advertisement.
    """
    others = [it for it in previews if is_other_title(_shown(proved.value), _candidate_text(it))]
    if not others or not proved.basis.path.endswith((".headline", "h1")):
        return proved
    seen = tuple(OfferedValue(value=_candidate_text(it), path=it.path) for it in others)
    return RefusedField(reason="disagrees", seen=(_offered(proved), *seen))


def _may_follow(proved: ProvedField, refusal: RefusedField) -> bool:
    """Tell whether a value may be given after that of a stronger witness was refused.

    It may, where that one was not to be seen and says the same with more or fewer words.
    """
    if refusal.reason in {"missing", "template_changed"}:
        return True
    if refusal.reason != "not_visible":
        return False
    return all(not is_other_title(_shown(proved.value), it.value) for it in refusal.seen)


def _offered(proved: ProvedField) -> OfferedValue:
    return OfferedValue(value=_shown(proved.value), path=proved.basis.path)


def _with_agreement(first: ProvedField, other: ProvedField) -> ProvedField:
    basis = first.basis
    agreed = (*basis.agreed, other.basis.path, *other.basis.agreed)
    return ProvedField(
        value=first.value,
        basis=Basis(
            source=basis.source,
            path=basis.path,
            quotes=basis.quotes,
            agreed=agreed,
            unseen=basis.unseen,
        ),
    )


def _settle_offers(
    checker: Checker, field: DataField, offers: Offers
) -> ProvedField | RefusedField:
    """Return the one value that a witness proves; two different ones are a disagreement."""
    candidates = offers.candidates[:_MAX_CANDIDATES]
    seen = tuple(OfferedValue(value=_candidate_text(it), path=it.path) for it in candidates)
    if offers.expected and not candidates:
        expected = OfferedValue(value=offers.expected, path=offers.source)
        return RefusedField(reason="template_changed", seen=(expected,))
    if not candidates:
        return RefusedField(reason="missing")
    # The strongest voice decides: a weaker one does not replace a value that was refused.
    valued = [(it.value, it.path) for it in candidates if it.value is not None]
    if len(valued) < len(candidates):
        return RefusedField(reason="ambiguous", seen=seen)
    (best_value, best_path), *others = valued
    proof = checker.check(field, best_value)
    if isinstance(proof, str):
        return RefusedField(reason=proof, seen=seen)
    agreed = []
    for value, path in others:
        if is_same_value(field, value, best_value):
            agreed.append(path)
        elif _contradicts(field, best_value, value):
            return RefusedField(reason="disagrees", seen=seen)
    basis = Basis(
        source=offers.source,
        path=best_path,
        quotes=proof,
        agreed=tuple(agreed),
        unseen=field.unseen,
    )
    return ProvedField(value=_page_words(field, best_value, proof), basis=basis)


def _page_words(field: DataField, value: PlainValue, quotes: Sequence[Quote]) -> PlainValue:
    """Return a value as the page writes it.

    The amounts of a list are the page's: "½ cup", not "0.5 cup". So is an average: 4.9, not 4.88.
    """
    if field.kind == "number" and isinstance(value, str) and quotes:
        shown = number_values(quotes[0].text)
        is_rounded = len(shown) == 1 and Decimal(value) not in shown
        return f"{next(iter(shown)):f}" if is_rounded else value
    if isinstance(value, str) or len(value) != len(quotes):
        return value
    items = []
    for item, quote in zip(value, quotes, strict=True):
        is_same = is_same_words(item, quote.text)
        items.append(item if is_same else " ".join(quote.text.split()))
    return tuple(items)


def _is_other_value(field: DataField, first: PlainValue, later: PlainValue) -> bool:
    """Tell whether a later witness says something else.

    The heading of a page may say more than that of the card in it, or less.
    """
    if field.role == "heading" and not field.many:
        return is_other_title(_shown(first), _shown(later))
    return not is_same_value(field, first, later)


def _contradicts(field: DataField, best: PlainValue, other: PlainValue) -> bool:
    """Tell whether another value of the same witness says something else than the best one."""
    if field.role == "heading":
        return is_other_title(_shown(best), _shown(other))
    # Two texts about one thing often are a long and a short one.
    return field.kind != "text" or field.role == "identifier"


def _candidate_text(candidate: Candidate) -> str:
    return candidate.shown if candidate.value is None else _shown(candidate.value)


def _shown(value: str | tuple[str, ...]) -> str:
    text = value if isinstance(value, str) else " | ".join(value[:_MAX_SHOWN_ITEMS])
    return text if len(text) <= _MAX_SHOWN_CHARS else text[: _MAX_SHOWN_CHARS - 1] + "…"


def _site_names(page: DataPage, linked: LinkedData) -> frozenset[str]:
    """Return the names of the site itself in normal form: no author has one of them."""
    names = [page.metas.get("og:site_name", ""), *linked.site_names]
    names += [page.title.rpartition(mark)[2] for mark in _TITLE_MARKS if mark in page.title]
    host = (urlsplit(page.url).hostname or "").removeprefix("www.")
    names += [host, host.partition(".")[0]]
    return frozenset(filter(None, map(squeeze, names)))
