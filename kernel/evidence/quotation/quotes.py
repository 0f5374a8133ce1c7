"""Where a quote stands in a page: an exact match after normalisation, whole at both ends.

What is shown, hashed and kept is ``page[start:end]``, never the words that were looked for.
"""

import re
from collections.abc import Iterator

import msgspec
from returns.result import Failure, Result, Success

from ....ports.evidence import QuoteFault, QuoteSpan
from ..support.negation import NEGATION, has_negation
from .borders import is_whole_at_borders
from .normalisation import NormalText, normalise_text, with_line_hyphens

MIN_QUOTE_CHARS = 12
MIN_QUOTE_WORDS = 2
MAX_QUOTE_CHARS = 1200
MAX_QUOTE_PARTS = 5
MAX_OMITTED_CHARS = 300
_MAX_SEARCH_TRIES = 64
_SENTENCE = 300

_OUTER = " \t\r\n\"'\u201c\u201d\u2018\u2019\u00ab\u00bb`"
_ELLIPSIS = r"(?:\[\s*(?:\.{3,}|\u2026)\s*\]|\(\s*(?:\.{3,}|\u2026)\s*\)|\.{3,}|\u2026|\.\s\.\s\.)"
_LEFT_OUT = re.compile(rf"\s*{_ELLIPSIS}\s*")
_BEGINNING = re.compile(rf"(?:\s|{_ELLIPSIS})+")
_ENDING = re.compile(rf"(?:\s|{_ELLIPSIS}|[-.,;:\u2013\u2014])+\Z")
_LINES = re.compile(r"\s*\n\s*")
_CITED = re.compile(r"\[\^?(\d{1,3})\\?\]")
_LINKED = re.compile(r"\]\((\S+?)[)\s]")
_LISTED = re.compile(r"[-*+\u2022]\s+(?=\d)")
_LIST_MARK = re.compile(r"(?:\A|\n)[ \t>]*[-*+\u2022]\s+[*_\[]*\Z")
_SENTENCE_END = re.compile(r"[.?!]['\")]* (?=['\"(]*[^\W\d_a-z])|[?!]['\")]* |[\u3002\uff01\uff1f]")
_BLOCK_END = re.compile(r"\||(?<![-\u2010\u00ad])\n|\n[ \t\r]*\n|\n[ \t]*(?:#|[-*+\u2022][ \t])")
_BREAKS = (". ", "? ", "! ", ": ", "\u3002")
_STOP = re.compile(r"[.?!\u3002\uff1f](?=['\")]* |['\")]*\Z)|[\u3002\uff1f]")
_BEYOND_LATIN = re.compile(r"[\u0370-\u1dff\u2e80-\uffef]")


class PageText(msgspec.Struct, frozen=True, kw_only=True):
    """A page, normalised once for all quotes that are looked for in it.

    ``hyphened`` is the page with the hyphens of words that were cut at a line's end.
    """

    text: str
    joined: NormalText
    hyphened: NormalText | None = None


def searchable_page(text: str) -> PageText:
    """Return a page ready to be searched."""
    hyphenated = with_line_hyphens(text)
    hyphened = None if hyphenated == text else normalise_text(hyphenated)
    return PageText(text=text, joined=normalise_text(text), hyphened=hyphened)


def find_quote(page: PageText, quote: str) -> Result[QuoteSpan, QuoteFault]:
    """Return where ``quote`` stands in the page, or why it is no quotation of it.

    >>> page = searchable_page("Sales rose by **5.2 %** in May, the firm said.")
    >>> find_quote(page, "sales rose by 5.2 % in May").map(lambda span: (span.start, span.end))
    <Success: (0, 30)>
    >>> find_quote(page, "sales rose by 5.3 % in May")
    <Failure: not_in_page>
    """
    if len(quote) > MAX_QUOTE_CHARS:
        return Failure("too_long")
    words = _trimmed(quote.strip(_OUTER))
    bare = normalise_text(words, quote=True).text.strip()
    if len(bare) < MIN_QUOTE_CHARS or (bare.isascii() and len(bare.split()) < MIN_QUOTE_WORDS):
        return Failure("too_short")
    listed = _LISTED.match(words)
    if listed is not None:
        return _find_listed(page, words, listed.end())
    return _find(page, words)


def _find_listed(page: PageText, words: str, mark: int) -> Result[QuoteSpan, QuoteFault]:
    """Find a quote that begins with a mark and a figure: a sign, unless the page has a list."""
    signed = _find(page, words)
    if isinstance(signed, Success):
        return signed
    item = _find(page, words[mark:])
    if isinstance(item, Failure):
        return item
    start = item.unwrap().start
    return item if _LIST_MARK.search(page.text[max(0, start - 12) : start]) else signed


def _find(page: PageText, words: str) -> Result[QuoteSpan, QuoteFault]:
    """Find a quote with its lines as they are, then on one line; in each form of the page."""
    fault: QuoteFault = "not_in_page"
    for text in filter(None, (page.joined, page.hyphened)):
        for form in dict.fromkeys((words, _LINES.sub(" ", words))):
            span = _find_form(page.text, text, form)
            if isinstance(span, Success):
                return span
            fault = span.failure()
    return Failure(fault)


def _find_form(page: str, text: NormalText, words: str) -> Result[QuoteSpan, QuoteFault]:
    bare = normalise_text(words, quote=True).text.strip()
    places = _places_of_one(page, text, bare)
    if not places and _LEFT_OUT.search(words):
        parts = [_bare_part(part) for part in _LEFT_OUT.split(words)]
        if len(parts) > MAX_QUOTE_PARTS or min(map(len, parts)) < MIN_QUOTE_CHARS:
            return Failure("parts")
        places = _places_of_parts(page, text, parts)
    if not places:
        return Failure("not_in_page")
    start, end = text.origin(places[0][0]), text.origin_end(places[-1][1])
    if not _marks_agree(words, page[start : end + 8]):
        return Failure("not_in_page")
    # A blank that goes with a dash is no part of the quote.
    start = end - len(page[start:end].lstrip())
    return Success(_span(text.text, places, start, end))


def _bare_part(part: str) -> str:
    return normalise_text(_trimmed(part), quote=True).text.strip()


def _trimmed(quote: str) -> str:
    begun = _BEGINNING.match(quote)
    rest = quote[begun.end() :] if begun is not None else quote
    return _ENDING.sub("", rest)


def _places_of_one(page: str, text: NormalText, bare: str) -> tuple[tuple[int, int], ...]:
    at = _search(page, text, bare, range(len(text.text)))
    return () if at is None else ((at, at + len(bare)),)


def _places_of_parts(page: str, text: NormalText, parts: list[str]) -> tuple[tuple[int, int], ...]:
    """Return where parts stand in order and near, with nothing of weight between them."""
    first = 0
    for _ in range(_MAX_SEARCH_TRIES):
        at = _search(page, text, parts[0], range(first, len(text.text)))
        if at is None:
            return ()
        places = _following(page, text, parts, at)
        if len(places) == len(parts):
            return places
        first = at + 1
    return ()


def _following(
    page: str, text: NormalText, parts: list[str], at: int
) -> tuple[tuple[int, int], ...]:
    places = [(at, at + len(parts[0]))]
    for part in parts[1:]:
        begin = places[-1][1]
        here = _search(page, text, part, range(begin, begin + MAX_OMITTED_CHARS + len(part)))
        if here is None or not _may_omit(page, text, begin, here):
            break
        places.append((here, here + len(part)))
    return tuple(places)


def _may_omit(page: str, text: NormalText, begin: int, end: int) -> bool:
    """Tell whether what is left out stays in one sentence, and denies and counts nothing."""
    if end <= begin + 1:
        return True
    omitted = text.text[begin : end + 1]
    if has_negation(omitted) or any(map(str.isdigit, text.text[begin:end])):
        return False
    # Elsewhere no list of ours says what denies.
    if _BEYOND_LATIN.search(omitted) or _SENTENCE_END.search(omitted):
        return False
    return not _BLOCK_END.search(page[text.origin_end(begin) : text.origin(end)])


def _search(page: str, text: NormalText, bare: str, within: range) -> int | None:
    """Return where ``bare`` stands whole; its first letter may be of either case."""
    places = [_search_form(page, text, form, within) for form in _forms(bare)]
    return min((place for place in places if place is not None), default=None)


def _forms(bare: str) -> Iterator[str]:
    yield bare
    other = bare[0].swapcase()
    if other != bare[0] and len(other) == 1 and not bare[1:2].isupper():
        yield other + bare[1:]


def _search_form(page: str, text: NormalText, form: str, within: range) -> int | None:
    def original(at: int) -> str:
        return page[text.origin(at) : text.origin_end(at + 1)]

    at = text.text.find(form, within.start, within.stop)
    for _ in range(_MAX_SEARCH_TRIES):
        if at < 0 or is_whole_at_borders(text.text, at, at + len(form), original):
            break
        at = text.text.find(form, at + 1, within.stop)
    else:
        return None
    return None if at < 0 else at


def _marks_agree(words: str, page: str) -> bool:
    """Tell whether the citations and link targets in a quote stand in the page, in this order."""
    return _in_order(_CITED.findall(words), _CITED.findall(page)) and _in_order(
        _LINKED.findall(words), _LINKED.findall(page)
    )


def _in_order(wanted: list[str], there: list[str]) -> bool:
    rest = iter(there)
    return all(mark in rest for mark in wanted)


def _span(text: str, places: tuple[tuple[int, int], ...], start: int, end: int) -> QuoteSpan:
    before, after = _around(text, places[0][0], places[-1][1])
    return QuoteSpan(
        start=start,
        end=end,
        parts=len(places),
        asks=after.rstrip("'\" )").endswith(("?", "\uff1f")),
        denied=NEGATION.search(before) is not None,
    )


def _around(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what of its sentence stands before a quote, and its end."""
    before = text[max(0, start - _SENTENCE) : start]
    cut = max(before.rfind(mark) for mark in _BREAKS)
    rest = text[end - 1 : end + _SENTENCE]
    stop = _STOP.search(rest)
    return before[cut + 1 :], rest[: stop.end()] if stop is not None else ""
