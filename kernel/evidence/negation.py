"""Match words of negation, in English and in some other languages."""

import re

_NEGATION_WORDS = (
    "not|no|never|none|nor|neither|nobody|nothing|nowhere|without|cannot|hardly|barely|scarcely"
    "|unless|except|false|falsely|denie[sd]|deny|denying|refut(?:e[sd]?|ing)|debunk(?:s|ed|ing)?"
    "|disprov(?:e[sdn]?|ing)|rather than|instead of|fail(?:s|ed|ing)? to|unable|unlikely|untrue"
    "|myth|lacks?|lacked|lacking|absent|excluding"
)
NEGATION = re.compile(rf"\b(?:{_NEGATION_WORDS})\b|n['\u2019]t\b", re.IGNORECASE)
# An ellipsis in a quote may not omit these, in the most common languages.
FOREIGN_NEGATION = re.compile(
    r"\b(?:ne|pas|jamais|aucune?|sans|non|mai|senza|nessun[oa]?|nunca|jam[a\u00e1]s|ning[u\u00fa]n[oa]?|sin"
    r"|n[a\u00e3]o|nem|sem|nicht|kein\w{0,2}|nie|niemals|ohne|niet|geen|zonder|inte|ikke|ingen|utan"
    r"|ei|nie|bez|nem|yok|de\u011fil)\b",
    re.IGNORECASE,
)


def count_negations(text: str) -> int:
    """Count the English words of negation.

    >>> count_negations("It isn't true that nobody came")
    2
    """
    return len(NEGATION.findall(text))


def has_negation(text: str) -> bool:
    """Tell whether a text has a word of negation in any supported language."""
    return NEGATION.search(text) is not None or FOREIGN_NEGATION.search(text) is not None
