"""Find a quote in a page: an exact match after normalisation, whole at both ends.

Only ``page[start:end]`` is shown, hashed and stored, never the model's wording.
"""

import re
from collections.abc import Iterator

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.evidence import QuoteFault, QuoteSpan

from .normalisation import CITATION_MARK, NormalText, join_hyphenated_lines, normalise_text
from .quote_borders import is_whole_at_borders

MIN_QUOTE_CHARS = 12
MIN_QUOTE_WORDS = 2
MAX_QUOTE_CHARS = 1200
MAX_QUOTE_PARTS = 5
MAX_OMITTED_CHARS = 300
_MAX_SEARCH_TRIES = 64

_OUTER_CHARACTERS = " \t\r\n\"'\u201c\u201d\u2018\u2019\u00ab\u00bb`"
_ELLIPSIS = r"(?:\[\s*(?:\.{3,}|\u2026)\s*\]|\(\s*(?:\.{3,}|\u2026)\s*\)|\.{3,}|\u2026|\.\s\.\s\.)"
_OMISSION_PATTERN = re.compile(rf"(?<!\s)\s*+{_ELLIPSIS}\s*+")
_QUOTE_START_PATTERN = re.compile(rf"(?:\s|{_ELLIPSIS})+")
# It reads from the end: the quote and the pattern are backwards.
_QUOTE_END_PATTERN = re.compile(
    r"(?:[-\s.,;:\u2013\u2014\u2026]|\]\s*+(?:\.{3,}+|\u2026)\s*+\[|\)\s*+(?:\.{3,}+|\u2026)\s*+\()*+"
)
_LINE_BREAK_PATTERN = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")
_CITATION_PATTERN = re.compile(CITATION_MARK)
_LINK_TARGET_PATTERN = re.compile(r"\]\(([^\s()]++(?:\([^\s()]*+)?+)[)\s]")
_LISTED_FIGURE_PATTERN = re.compile(r"[-*+\u2022]\s+(?=\d)")
_LIST_MARK_PATTERN = re.compile(r"(?:\A|\n)[ \t>]*[-*+\u2022]\s+[*_\[]*\Z")
_SENTENCE_END_PATTERN = re.compile(
    r"[.?!]['\")]* (?=['\"(]*[^\W\d_a-z])|[?!]['\")]* |[\u3002\uff01\uff1f]"
)
_BLOCK_END_PATTERN = re.compile(
    r"\||(?<![-\u2010\u00ad])\n|\n[ \t\r]*\n|\n[ \t]*(?:#|[-*+\u2022][ \t])"
)
_NEGATION_WORDS = (
    "not|no|never|none|nor|neither|nobody|nothing|nowhere|without|cannot|hardly|barely|scarcely"
    "|unless|except|false|falsely|denie[sd]|deny|denying|refut(?:e[sd]?|ing)|debunk(?:s|ed|ing)?"
    "|disprov(?:e[sdn]?|ing)|rather than|instead of|fail(?:s|ed|ing)? to|unable|unlikely|untrue"
    "|myth|lacks?|lacked|lacking|absent|excluding"
)
_NEGATION_PATTERN = re.compile(rf"\b(?:{_NEGATION_WORDS})\b|n['\u2019]t\b", re.IGNORECASE)
# An ellipsis in a quote may not omit these, in the most common languages.
_FOREIGN_NEGATION_PATTERN = re.compile(
    r"\b(?:ne|pas|jamais|aucune?|sans|non|mai|senza|nessun[oa]?|nunca|jam[a\u00e1]s|ning[u\u00fa]n[oa]?|sin"
    r"|n[a\u00e3]o|nem|sem|nicht|kein\w{0,2}|nie|niemals|ohne|niet|geen|zonder|inte|ikke|ingen|utan"
    r"|ei|nie|bez|nem|yok|de\u011fil)\b",
    re.IGNORECASE,
)
_BEYOND_LATIN_PATTERN = re.compile(r"[\u0370-\u1dff\u2e80-\uffef]")


class PageText(msgspec.Struct, frozen=True, kw_only=True):
    """A page, normalised once for all quotes; ``hyphened`` keeps hyphens at line ends."""

    text: str
    joined: NormalText
    hyphened: NormalText | None = None


def searchable_page(text: str) -> PageText:
    """Normalise a page for searching."""
    hyphenated = join_hyphenated_lines(text)
    hyphened = None if hyphenated == text else normalise_text(hyphenated)
    return PageText(text=text, joined=normalise_text(text), hyphened=hyphened)


def find_quote(page: PageText, quote: str) -> Result[QuoteSpan, QuoteFault]:
    """Return the span of ``quote`` in the page, or why it is no quotation of it.

    >>> page = searchable_page("Sales rose by **5.2 %** in May, the firm said.")
    >>> find_quote(page, "sales rose by 5.2 % in May").map(lambda span: (span.start, span.end))
    <Success: (0, 30)>
    >>> find_quote(page, "sales rose by 5.3 % in May")
    <Failure: not_in_page>
    """
    if len(quote) > MAX_QUOTE_CHARS:
        return Failure("too_long")
    trimmed = _trim_ends(quote.strip(_OUTER_CHARACTERS))
    needle = normalise_text(trimmed, quote=True).text.strip()
    has_few_words = needle.isascii() and len(needle.split()) < MIN_QUOTE_WORDS
    if has_few_words or len(needle) < MIN_QUOTE_CHARS:
        return Failure("too_short")
    listed = _LISTED_FIGURE_PATTERN.match(trimmed)
    if listed is not None:
        # A mark before a figure is a sign, unless the page has a list.
        mark = listed.end()
        signed = _find_any_form(page, trimmed)
        if isinstance(signed, Success):
            return signed
        item = _find_any_form(page, trimmed[mark:])
        if isinstance(item, Failure):
            return item
        start = item.unwrap().start
        return item if _LIST_MARK_PATTERN.search(page.text[max(0, start - 12) : start]) else signed
    return _find_any_form(page, trimmed)


def _find_any_form(page: PageText, quote: str) -> Result[QuoteSpan, QuoteFault]:
    """Find a quote with its line breaks, then on one line, in each form of the page."""
    fault: QuoteFault = "not_in_page"
    for text in filter(None, (page.joined, page.hyphened)):
        for form in dict.fromkeys((quote, _LINE_BREAK_PATTERN.sub(" ", quote))):
            span = _find_form(page.text, text, form)
            if isinstance(span, Success):
                return span
            fault = span.failure()
    return Failure(fault)


def _find_form(page: str, text: NormalText, quote: str) -> Result[QuoteSpan, QuoteFault]:
    spans = _find_lone_part(page, text, normalise_text(quote, quote=True).text.strip())
    if not spans and _OMISSION_PATTERN.search(quote):
        trimmed = map(_trim_ends, _OMISSION_PATTERN.split(quote))
        parts = [normalise_text(part, quote=True).text.strip() for part in trimmed]
        if len(parts) > MAX_QUOTE_PARTS or min(map(len, parts)) < MIN_QUOTE_CHARS:
            return Failure("parts")
        spans = _find_parts(page, text, parts)
    if not spans:
        return Failure("not_in_page")
    start, end = text.page_offset(spans[0][0]), text.origin_end(spans[-1][1])
    if not _has_same_citations(quote, page[start : end + 8]):
        return Failure("not_in_page")
    # Exclude a blank before a dash from the quote.
    start = end - len(page[start:end].lstrip())
    return Success(QuoteSpan(start=start, end=end, parts=len(spans)))


def _trim_ends(quote: str) -> str:
    start = _QUOTE_START_PATTERN.match(quote)
    rest = quote[start.end() :] if start is not None else quote
    end = _QUOTE_END_PATTERN.match(rest[::-1])
    return rest[: len(rest) - end.end()] if end is not None else rest


def _find_lone_part(page: str, text: NormalText, needle: str) -> tuple[tuple[int, int], ...]:
    offset = _find_whole(page, text, needle, range(len(text.text)))
    return () if offset is None else ((offset, offset + len(needle)),)


def _find_parts(page: str, text: NormalText, parts: list[str]) -> tuple[tuple[int, int], ...]:
    """Return the places of parts that stand in order and close, if each gap may be omitted."""
    first = 0
    for _ in range(_MAX_SEARCH_TRIES):
        offset = _find_whole(page, text, parts[0], range(first, len(text.text)))
        if offset is None:
            return ()
        spans = _find_following_parts(page, text, parts, offset)
        if len(spans) == len(parts):
            return spans
        first = offset + 1
    return ()


def _find_following_parts(
    page: str, text: NormalText, parts: list[str], offset: int
) -> tuple[tuple[int, int], ...]:
    spans = [(offset, offset + len(parts[0]))]
    for part in parts[1:]:
        begin = spans[-1][1]
        within = range(begin, begin + MAX_OMITTED_CHARS + len(part))
        next_offset = _find_whole(page, text, part, within)
        if next_offset is None or not _may_omit_text(page, text, begin, next_offset):
            break
        spans.append((next_offset, next_offset + len(part)))
    return tuple(spans)


def has_negation(text: str) -> bool:
    """Tell whether a text has a word of negation in one of the most common languages."""
    return any(pattern.search(text) for pattern in (_NEGATION_PATTERN, _FOREIGN_NEGATION_PATTERN))


def _may_omit_text(page: str, text: NormalText, begin: int, end: int) -> bool:
    """Tell whether the omitted text stays in one sentence, and has no negation and no figure."""
    if end <= begin + 1:
        return True
    omitted = text.text[begin : end + 1]
    if has_negation(omitted) or any(map(str.isdigit, text.text[begin:end])):
        return False
    # The negation lists cover Latin scripts only.
    if _BEYOND_LATIN_PATTERN.search(omitted) or _SENTENCE_END_PATTERN.search(omitted):
        return False
    return not _BLOCK_END_PATTERN.search(page[text.origin_end(begin) : text.page_offset(end)])


def _find_whole(page: str, text: NormalText, needle: str, within: range) -> int | None:
    """Return the offset where ``needle`` stands whole; its first letter may have either case."""
    offsets = [_search_whole_form(page, text, form, within) for form in _letter_case_forms(needle)]
    return min((offset for offset in offsets if offset is not None), default=None)


def _letter_case_forms(needle: str) -> Iterator[str]:
    yield needle
    swapped = needle[0].swapcase()
    if swapped != needle[0] and len(swapped) == 1 and not needle[1:2].isupper():
        yield swapped + needle[1:]


def _search_whole_form(page: str, text: NormalText, form: str, within: range) -> int | None:
    def original(offset: int) -> str:
        return page[text.page_offset(offset) : text.origin_end(offset + 1)]

    offset = text.text.find(form, within.start, within.stop)
    for _ in range(_MAX_SEARCH_TRIES):
        if offset < 0 or is_whole_at_borders(text.text, offset, offset + len(form), original):
            break
        offset = text.text.find(form, offset + 1, within.stop)
    else:
        return None
    return None if offset < 0 else offset


def _has_same_citations(quote: str, page: str) -> bool:
    """Tell whether the citations and links of a quote are those of the page, in this order.

    Where the page has none, a model added its own, which say nothing of the page.
    """
    return all(
        _is_subsequence(pattern.findall(quote), marks)
        for pattern in (_CITATION_PATTERN, _LINK_TARGET_PATTERN)
        if (marks := pattern.findall(page))
    )


def _is_subsequence(marks: list[str], page_marks: list[str]) -> bool:
    rest = iter(page_marks)
    return all(mark in rest for mark in marks)
