"""The text of a field that a service sends as HTML, or as the JATS of a publisher.

One converter for all of them. A field is converted once, where its service reads it, since the
text of ``&lt;b&gt;`` is ``<b>`` and not a tag. Only elements that HTML, MathML and JATS have are
tags: services also send ``Vec<u8>`` and ``p<q`` as they are, and these are text.
"""

import re
from typing import Final

from .superscripts import superscript

# Attributes begin with a letter: "a <b && c> d" has none. An unclosed comment stops at the next
# one; otherwise each would be searched to the text's end.
_MARKUP_PATTERN: Final = re.compile(
    r"<(?P<closes>/?)(?P<name>[A-Za-z][A-Za-z0-9]*(?::[A-Za-z][A-Za-z-]*)?)"
    r"(?:\s+[A-Za-z_:@][^<>]*|[\s/]*)>"
    r"|<!--(?:(?!<!--).)*?-->|<![A-Za-z][^<>]*>",
    re.DOTALL,
)
# Words on both sides of these are one word.
_INLINE_TAG_LIST: Final = """
a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rp rt
ruby s samp small span strike strong sub sup svg time tt u var wbr
math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot
mrow ms mspace msqrt mstyle msub msubsup msup mtext munder munderover none semantics
bold email ext-link inline-formula inline-graphic italic monospace named-content overline roman
sans-serif sc styled-content tex-math underline uri xref
"""
_BLOCK_TAG_LIST: Final = """
address annotation annotation-xml area article aside audio base blockquote body br button canvas
caption center col colgroup datalist dd details dialog dir div dl dt embed fieldset figcaption
figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe input legend
li link main map menu meta meter mlabeledtr mtable mtd mtr nav noscript object ol optgroup option
output p param picture pre progress script search section select slot source style summary table
tbody td template textarea tfoot th thead title tr track ul video
"""
_INLINE_TAGS: Final = frozenset(_INLINE_TAG_LIST.split())
_BLOCK_TAGS: Final = frozenset(_BLOCK_TAG_LIST.split())
_PREFIXES: Final = frozenset({"jats", "mml", "m"})


def html_to_text(value: object) -> object:
    """Return the text of an HTML field on one line; anything but a text unchanged.

    >>> html_to_text("Over 10<sup>6</sup> &lt;b&gt; of <b>Vec<u8></b><br>and a < b")
    'Over 10⁶ <b> of Vec<u8> and a < b'
    """
    if not isinstance(value, str):
        return value
    # Nearly no text has markup, and looking for one character costs next to nothing.
    if "<" in value:
        value = "".join(_pieces(value))
    elif "&" in value:
        value = _unescape(value)
    return " ".join(value.split())


def _pieces(value: str) -> list[str]:
    """Return the texts between the tags, raised where they are superscript."""
    pieces: list[str] = []
    offset, raised_from, token_from = 0, -1, 0
    last_name = ""
    for match in _MARKUP_PATTERN.finditer(value):
        name, blank = _tag_name(match), ""
        if name is None:
            continue
        between = value[offset : match.start()]
        pieces.append(_unescape(between) if "&" in between else between)
        offset = match.end()
        if name and name not in _INLINE_TAGS:
            blank = " "
        elif name == "sup" and not match["closes"]:
            raised_from = len(pieces)
        elif name == "sup" and raised_from >= 0:
            pieces[raised_from:] = [superscript("".join(pieces[raised_from:]))]
            raised_from = -1
        elif name == "msup" and match["closes"] and last_name == "/mn":
            pieces[token_from:] = [superscript("".join(pieces[token_from:]))]
        elif name == "mn" and not match["closes"]:
            # Two numbers side by side, as in a fraction, are not one.
            blank = " " if last_name == "/mn" else ""
            token_from = len(pieces) + 1
        pieces.append(blank)
        last_name = match["closes"] + name if match["name"] else last_name
    pieces.append(_unescape(value[offset:]))
    return pieces


def _tag_name(match: re.Match[str]) -> str | None:
    """Return an element's name without prefix; empty for a comment, None for what is text."""
    if match["name"] is None:
        return ""
    prefix, colon, name = match["name"].lower().rpartition(":")
    if colon:
        return name if prefix in _PREFIXES else None
    return name if name in _INLINE_TAGS or name in _BLOCK_TAGS else None


def _unescape(text: str) -> str:
    import html  # noqa: PLC0415  its table of entities is large

    return html.unescape(text)
