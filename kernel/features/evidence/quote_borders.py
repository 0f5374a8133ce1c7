"""Check that a quote is whole at both ends: it cuts no word, figure, sign, size or unit."""

import re
from collections.abc import Callable

from .sentence_tokens import UNIT_BEHIND_PATTERN

# Returns the page's text at an offset of the normalised text.
Original = Callable[[int], str]

_HYPHENS = frozenset(("-", "\u2010", "\u2011"))
# A single blank on a line: 1 234 567 is one figure, two table cells are not.
_THIN_BLANKS = frozenset((" ", "\u00a0", "\u2009", "\u202f"))
# Between two letters or digits these form one token: km/h, 10:30, example.com, R&D, don't.
_JOINERS = frozenset("/:.&@_'\u00b7")
# Borders of blocks: a table cell, a blank line, the mark of a heading or an item.
_BLOCK_BORDER_PATTERN = re.compile(r"\||\n\s*\n|\n\s*[#>*+\u2022-]")
# Prefixes that reverse the word that follows.
_REVERSING_PATTERN = re.compile(
    r"\b(?:non|un|anti|in|dis|pre|post|counter|never|no|not|ex|pseudo|quasi|semi|sub)[-']\Z",
    re.IGNORECASE,
)
_SIGNS = r"-+\u00b1<>=\u2264\u2265~\u2248#"
_MONEY_SIGNS = r"$\u20ac\u00a3\u00a5\u20b9\u20a9"
_FIGURE_FRONT = frozenset("-+\u00b1$\u20ac\u00a3\u00a5\u20b9\u20a9")
_MONTH_NAMES = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
# Scale words in the most common languages; a figure without its scale word is wrong.
_SCALE_WORDS = (
    r"(?:hundred|thousand|million|billion|trillion|dozen|lakh|crore|(?:bn|mn|tn|m|k)\b"
    r"|tausend|mio\b|mrd\b|milliarden?|millionen|millones|mil\b|mill[io]ers?|milliards?"
    r"|milh(?:\u00e3o|\u00f5es)|mila\b|milion[ie]|miliard[io]|tys\b|mln\b|mld\b"
    r"|\u0442\u044b\u0441|\u043c\u043b\u043d|\u043c\u043b\u0440\u0434"
    r"|\u043c\u0438\u043b\u043b\u0438|[\u5341\u767e\u5343\u4e07\u842c\u4ebf\u5104\u5146\ub9cc\uc5b5\uc870])"
)
_PERCENT_WORDS = (
    r"(?:[%\u2030\uff05]|per ?cent|percentage|prozent|pour ?cent|por ?cento|por ?ciento|per ?cento"
    r"|procent|\u043f\u0440\u043e\u0446\u0435\u043d\u0442)"
)
# Units that follow a figure without a blank in Chinese, Japanese and Korean.
_CJK_UNITS = (
    "[\u5e74\u6708\u65e5\u53f7\u865f\u5143\u5186\u5713\u7c73\u516c\u91cc\u5428\u5678\u500b\u4e2a"
    "\u4eba\u540d\u6b73\u5c81\u6642\u65f6\u5206\u79d2\u5ea6\u500d\u5272\uc6d0\ub144\uc6d4\uc77c\uba85\uac1c]"
)
_BEFORE_FIGURE_PATTERN = re.compile(
    rf"(?:[\d.,/:^_\u00d7]|[{_SIGNS}{_MONEY_SIGNS}] ?|\b(?:usd|eur|gbp|chf|jpy|cny|inr) "
    r"|\b(?:minus|negative|below|above|under|over|beyond|about|around|nearly|almost|approximately"
    r"|approx\.|circa|ca\.|roughly|some|just|up to|close to|at most|at least|than|only"
    rf"|as (?:many|much|few|little) as) |\b{_MONTH_NAMES} "
    rf"|\d (?:to|or) [{_SIGNS}{_MONEY_SIGNS}]?)\Z",
    re.IGNORECASE,
)
_AFTER_FIGURE_PATTERN = re.compile(
    r"[\d%\u2030\uff05\u00b0\u00b2\u00b3\u00b9\u2070-\u2079\u00bd\u00bc\u00be^/'\"+]|[.,:_]\d"
    rf"|\s?[-\u00b1\u00d7*]\s?\d|{_CJK_UNITS}|\s?(?:{_PERCENT_WORDS}|{_SCALE_WORDS}|times\b|x\b|{_MONTH_NAMES})"
    r"|\s?(?:[\u00bd\u00bc\u00be]|\d+/\d|and (?:a|one) (?:half|third|quarter)\b)"
    rf"|\s(?:to|or) [{_SIGNS}{_MONEY_SIGNS}]?\d|\s(?:out )?of \d|\sin \d{{1,3}}\b"
    r"|\sor (?:more|less|fewer|over|under|above|below|older|younger|so)\b",
    re.IGNORECASE,
)
_SCALE_AHEAD_PATTERN = re.compile(rf"\s?(?:{_PERCENT_WORDS}|{_SCALE_WORDS})", re.IGNORECASE)
_SCALED_PATTERN = re.compile(rf"\s{_SCALE_WORDS}", re.IGNORECASE)
_FIGURE_BEHIND_PATTERN = re.compile(r"\d\s?\Z")
_FIRST_GROUP_PATTERN = re.compile(r"(?<!\d)\d{1,3}(?:[ ,.]\d{3}){0,5}\Z")
_GROUP_PATTERN = re.compile(r"\d{3}(?!\d)")
_CONTEXT_CHARS = 24


def is_whole_at_borders(text: str, start: int, end: int, original: Original | None = None) -> bool:
    """Tell whether ``text[start:end]`` cuts nothing that changes its meaning.

    ``original`` returns the page's text at an offset, if ``text`` is normalised.
    """
    page = original or (lambda at: text[at : at + 1])
    return _is_quote_start_whole(text, start, page) and _is_quote_end_whole(text, end, page)


def _is_quote_start_whole(text: str, start: int, page: Original) -> bool:
    if start == 0 or _BLOCK_BORDER_PATTERN.search(page(start - 1)):
        return True
    first, before = text[start], text[max(0, start - _CONTEXT_CHARS) : start]
    if is_word_character(first) and (
        is_word_character(before[-1]) or _REVERSING_PATTERN.search(before)
    ):
        return False
    if _is_token_joiner(text, start - 1, page(start - 1)) or _is_token_joiner(
        text, start, page(start)
    ):
        return False
    if _FIGURE_BEHIND_PATTERN.search(before) and _SCALE_AHEAD_PATTERN.match(text, start):
        return False
    if first.isdigit() and _is_thousands_blank(text, start - 1, page(start - 1)):
        return False
    is_digit = first.isdigit() or (first in _FIGURE_FRONT and text[start + 1 : start + 2].isdigit())
    return not (is_digit and _BEFORE_FIGURE_PATTERN.search(before))


def _is_quote_end_whole(text: str, end: int, page: Original) -> bool:
    if end == len(text) or _BLOCK_BORDER_PATTERN.search(page(end)):
        return True
    last = text[end - 1]
    if last in _FIGURE_FRONT:
        return not text[end : end + 2].strip()[:1].isdigit()
    if _is_word_cut(text, end, page):
        return False
    return not (last.isdigit() and _is_figure_cut(text, end, page(end)))


def _is_word_cut(text: str, end: int, page: Original) -> bool:
    """Tell whether the end cuts a token, or a number in words such as five million."""
    last, after = text[end - 1], text[end]
    if _is_token_joiner(text, end - 1, page(end - 1)):
        return True
    if is_word_character(last) and (
        is_word_character(after)
        or _is_contraction_cut(text, end)
        or _SCALED_PATTERN.match(text, end)
    ):
        return True
    return after != "'" and _is_token_joiner(text, end, page(end))


def _is_figure_cut(text: str, end: int, gap: str) -> bool:
    """Tell whether digits, a scale word, a unit or a bound of the figure follow."""
    return (
        _AFTER_FIGURE_PATTERN.match(text, end) is not None
        or UNIT_BEHIND_PATTERN.match(text, end) is not None
        or _is_thousands_blank(text, end, gap)
    )


def _is_contraction_cut(text: str, end: int) -> bool:
    """Tell whether the end cuts a contraction such as n't; cutting a possessive s is allowed."""
    if text[end] != "'" or not text[end + 1 : end + 2].isalpha():
        return False
    return text[end + 1 : end + 3].rstrip(" .,;:") != "s"


def _is_token_joiner(text: str, offset: int, gap: str) -> bool:
    """Tell whether a mark joins its sides: a hyphen without blanks does, a dash does not."""
    before, mark, after = text[offset - 1 : offset], text[offset], text[offset + 1 : offset + 2]
    if not (is_word_character(before) and is_word_character(after)):
        return False
    if mark == ".":
        # A page may lack the blank between two sentences.
        return not after.isupper()
    if mark == ",":
        return before.isdigit() and after.isdigit()
    return mark in _JOINERS or (mark == "-" and gap.rstrip() in _HYPHENS and gap[0] != " ")


def _is_thousands_blank(text: str, offset: int, gap: str) -> bool:
    """Tell whether a blank separates the thousands of one figure, as in 1 234 567."""
    if gap not in _THIN_BLANKS:
        return False
    before = text[max(0, offset - _CONTEXT_CHARS) : offset]
    return (
        _FIRST_GROUP_PATTERN.search(before) is not None
        and _GROUP_PATTERN.match(text, offset + 1) is not None
    )


def is_word_character(character: str) -> bool:
    """Tell whether a character, or an empty text, is part of a word in a script with blanks."""
    # Thai, Lao, Chinese, Japanese and Korean have no blanks between words.
    return character.isalnum() and not (
        "\u0e00" <= character <= "\u0eff"
        or "\u2e80" <= character <= "\ud7ff"
        or "\uf900" <= character <= "\ufaff"
    )
