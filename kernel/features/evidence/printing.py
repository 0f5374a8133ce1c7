r"""Print a stretch of a page: markup goes, and blanks come together. Nothing else changes.

This is the only way in which a page's text becomes the text of a claim or of its frame, so that
both can be made again from a saved page. No word, figure or sign is cut out: struck text keeps its
tildes, a picture its description, and a mark of a list or a quotation that stands before a figure
stays, because it may be a sign.
"""

import re

from ...text.display import one_line, strip_hidden

# Raise this whenever what is printed or where a sentence ends changes: a saved answer names it.
RULES_VERSION = 6

_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
# Noncharacters of Unicode stand for what was escaped or is code, until all markup is gone.
_NONCHARACTERS = "".join(map(chr, range(0xFDD0, 0xFDF0)))
_PROTECT = str.maketrans(_PUNCTUATION, _NONCHARACTERS)
_RESTORE = str.maketrans(_NONCHARACTERS, _PUNCTUATION)
_DROP_NONCHARACTERS = dict.fromkeys(map(ord, _NONCHARACTERS))

_TARGET = (
    r"""\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?:\s["'][^"'\n]{0,300}["'])?\)"""
)
_CODE_PATTERN = re.compile(r"(?<![\\`])(`{1,2})(?!`)([^`]{1,400})\1(?!`)")
_ESCAPE_PATTERN = re.compile(r"\\([!-/:-@\[-`{-~])")
_DEFINITION_PATTERN = re.compile(r"(?m)^ {0,3}\[[^\[\]\n]{1,100}\]: +<?(?:https?://|[/#])[^\n]*$")
_LINE_MARK_PATTERN = re.compile(
    r"(?m)^[ \t]*(?:(?:#{1,6}|>+|[-*+:\u2022\u25aa\u25cf])(?:[ \t]+|$)(?![^\w\s]{0,3}\s?\d))+"
)
_LINE_HYPHEN_PATTERN = re.compile(r"(?<=[^\W\d_][-\u2010])[ \t]*\n\s*(?=[^\W\d_])")
_PICTURE_PATTERN = re.compile(rf"!\[([^\[\]]{{0,300}})\]{_TARGET}")
# Where a label touches a letter or a figure, its brackets keep them apart: 5[1](#n) is not 51.
_TOUCHING_LINK_PATTERN = re.compile(
    rf"(?<=\w)(\[[^\[\]]{{1,300}}\]){_TARGET}|(\[[^\[\]]{{1,300}}\]){_TARGET}(?=\w)"
)
_LINK_PATTERN = re.compile(rf"\[([^\[\]]{{0,300}})\]{_TARGET}")
_ADDRESS_PATTERN = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,2000})>")
_EMPHASIS_PATTERNS = (
    re.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])([^*]{1,2000})(?<=[^\s*])\1(?![\w*])"),
    re.compile(r"(?<=\w)(\*{2})(?=[^\s*])([^*]{1,200})(?<=[^\s*])\1|(\*\*)(?=[^\s*])([^*]{1,200})(?<=[^\s*])\3(?=\w)"),
    re.compile(r"(?<![\w_\\])(_{1,3})(?=[^\s_])([^_]{1,2000})(?<=[^\s_])\1(?![\w_])"),
)  # fmt: skip
_BREAKING_TAG_PATTERN = re.compile(
    r"</?(?:br|div|li|ol|p|td|th|tr|ul|hr)(?: [^<>\n]{0,300})?/?>", re.IGNORECASE
)
_INLINE_TAG_PATTERN = re.compile(
    r"</?(?:a|abbr|b|cite|code|em|font|i|kbd|mark|q|small|span|strong|u)(?: [^<>\n]{0,300})?/?>",
    re.IGNORECASE,
)
# What is left and would be markup to a program that renders it is kept apart by a blank.
_LIVE_PATTERN = re.compile(r"(?<=\])(?=\()|(?<=<)(?=[A-Za-z/!?])")
_MODEL_PICTURE_PATTERN = re.compile(r"!\[[^\[\]]{0,300}\]\([^()]{0,2000}\)")
_MODEL_TAG_PATTERN = re.compile(r"<[^<>]{0,2000}>")
_MODEL_ADDRESS_PATTERN = re.compile(r"\S{0,40}:/\S*|\bwww\.\S*")
_MODEL_MARKUP = str.maketrans("[]<>`*|~\\", "         ")


def print_text(raw: str) -> str:
    r"""Return a stretch of markdown on one line, without its markup.

    >>> print_text("**Sales** rose by 5[1](#n) \\[sic\\]\n> in [May](https://a.example/).")
    'Sales rose by 5[1] [sic] in May.'
    """
    text = strip_hidden(blank_comments(raw)).translate(_DROP_NONCHARACTERS)
    text = _CODE_PATTERN.sub(lambda code: code[2].translate(_PROTECT), text)
    text = _ESCAPE_PATTERN.sub(lambda escape: escape[1].translate(_PROTECT), text)
    text = _LINE_MARK_PATTERN.sub("", _DEFINITION_PATTERN.sub("", text))
    text = _LINE_HYPHEN_PATTERN.sub("", text)
    text = _PICTURE_PATTERN.sub(r" [\1] ", text)
    text = _TOUCHING_LINK_PATTERN.sub(lambda link: link[1] or link[2], text)
    text = _ADDRESS_PATTERN.sub(r"\1", _LINK_PATTERN.sub(r"\1", text))
    for pattern in _EMPHASIS_PATTERNS:
        text = pattern.sub(lambda pair: pair[2] or pair[pair.re.groups], text)
    text = _INLINE_TAG_PATTERN.sub("", _BREAKING_TAG_PATTERN.sub(" ", text))
    return print_code(text.translate(_RESTORE))


def print_code(raw: str) -> str:
    """Return code on one line; its signs are no markup, and stay."""
    return _LIVE_PATTERN.sub(" ", " ".join(strip_hidden(raw).split()))


def blank_comments(text: str, filler: str = "\u200b") -> str:
    """Overwrite comments in place, in one pass; a comment without an end stays."""
    pieces, offset = [], 0
    while (start := text.find("<!--", offset)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += [text[offset:start], filler * (end + 3 - start)]
        offset = end + 3
    return "".join((*pieces, text[offset:]))


def model_text(text: str, max_chars: int = 600) -> str:
    """Return what a model wrote without links, pictures, HTML and marks, on one bounded line."""
    plain = print_text(_MODEL_PICTURE_PATTERN.sub(" ", text[: 8 * max_chars]))
    plain = _MODEL_TAG_PATTERN.sub(" ", plain)
    plain = _MODEL_ADDRESS_PATTERN.sub(" ", plain).translate(_MODEL_MARKUP)
    return one_line(plain.lstrip("#>-+ "), max_chars)
