"""Texts that a service wrote for a browser."""

import html
import re

# A tag begins with a letter, or is a closing tag, a comment or a declaration: "a < b" stays.
# A comment that has no end ends where the next one begins, or each would be looked for to the end.
_TAG = re.compile(
    r"<(?:[A-Za-z][^<>]*|/[A-Za-z][^<>]*|!--(?:(?!<!--).)*?--|![A-Za-z][^<>]*)>", re.DOTALL
)
_BREAK = re.compile(r"<(?:br|/?p|/?div|/?li|/?jats:p|/?jats:title)\b[^<>]*>", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")


def strip_markup(value: object) -> str:
    """Return a text without tags and entities, on one line; nothing for what is no text.

    >>> strip_markup("How <strong>tides</strong>&nbsp;work &amp; why 1 < 2")
    'How tides work & why 1 < 2'
    """
    if not isinstance(value, str):
        return ""
    return one_line(html.unescape(_TAG.sub("", _BREAK.sub(" ", value))))


def excerpt(value: object, max_chars: int = 2000) -> str:
    """Return the beginning of a long text, without markup, cut between words.

    >>> excerpt("How tides work", max_chars=10)
    'How tides …'
    """
    words = strip_markup(value)
    if len(words) <= max_chars:
        return words
    return f"{words[: max_chars + 1].rpartition(' ')[0] or words[:max_chars]} …"


def one_line(value: object) -> str:
    r"""Return a text with every run of blanks as one space; nothing for what is no text.

    >>> one_line(" Tides in\n  models ")
    'Tides in models'
    """
    return _BLANKS.sub(" ", value).strip() if isinstance(value, str) else ""
