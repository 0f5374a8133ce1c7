"""The index entry of a passage: its terms by field, and marks that filters match.

A mark with ``@`` is the host or one of its parent domains; with ``/`` a word of the address; with
``<`` the end of a long word, backwards; with ``]`` a sign that ends a run of unspaced characters
(elsewhere the sign begins a pair). A mark with ``_`` inside is a pair of Vietnamese syllables.
Words that a reply quotes stand with ``>`` among its words: they are those of another message.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain
from urllib.parse import unquote

import msgspec

from webseam.ports.dates import is_iso_date
from webseam.ports.text import lazy_pattern

from ...language.compounds import compound_marks
from ...language.folding import fold_letters
from ...language.scripts import ending_signs
from ...language.spelling_variants import identifier_terms
from ...language.stems import ENGLISH, has_syllables, stemmer_language, syllable_pairs
from ...language.symbols import symbol_terms
from ...language.tokenising import text_terms

BM25_K1 = 1.3  # BM25's k1
BM25_B = 0.75  # BM25's b
_MAX_ADDRESS_TERMS = 12
_PORT_PATTERN = lazy_pattern(r":\d*$")
# A name of DNS with its last dot and a port.
_MAX_HOST_CHARS = 260
_DAY_DIGITS = 8
_REPLY_PATTERN = lazy_pattern(
    r"(?i)\b(?:re|aw|sv|vs|antw|odp|\u56de\u590d|\u7b54\u590d) ?[:\uff1a]"
)
# Letters with emphasis before or after other letters of their word.
_INNER_EMPHASIS_PATTERN = lazy_pattern(
    r"(?<=[^\W\d_])(\*{1,3})([^\W\d_]{1,40})\1(?!\*)|(?<!\*)(\*{1,3})([^\W\d_]{1,40})\3(?=[^\W\d_])"
)
_QUOTE_PATTERN = lazy_pattern(r"(?m)^ ?>.*")
SELECT_STORED_PASSAGES = """
    SELECT passages.id, documents.title, passages.headings, passages.body, documents.url,
           documents.language, documents.published, passages.document, passages.length
    FROM passages JOIN documents ON documents.id = passages.document
"""


class PassageText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a passage by field, and the language for its stems."""

    title: str
    headings: str
    body: str
    url: str
    language: str = ENGLISH


class StoredPassage(msgspec.Struct, frozen=True, array_like=True):
    """A row of ``SELECT_STORED_PASSAGES``: a passage that is in the index file."""

    number: int
    title: str
    headings: str
    body: str
    url: str
    language: str
    published: str | None
    document: int
    length: int

    def text(self) -> PassageText:
        """Return the text by field."""
        return PassageText(
            title=self.title,
            headings=self.headings,
            body=self.body,
            url=self.url,
            language=stemmer_language(self.language),
        )


class TermEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The entry of a passage for the engine: terms joined by blanks, and marks.

    ``length`` is the number of terms, without those of the address. ``lot`` decides between equal
    scores: a digest of the URL, so that it does not tell in what order documents were added.
    """

    words: tuple[str, ...]
    marks: str
    length: int
    lot: int


def term_entry(text: PassageText) -> TermEntry:
    """Return the entry of a passage; the same text always gives the same entry."""
    fields = (text.title, text.headings, text.body)
    full_text = "\n".join(fields)
    is_reply = "\n>" in text.body and _REPLY_PATTERN.search(f"{text.title} {text.headings}")
    quotes = _QUOTE_PATTERN.findall(text.body) if is_reply else []
    own = (*fields[:2], _QUOTE_PATTERN.sub("", text.body)) if quotes else fields
    parts = [text_terms(_join_emphasised(field), text.language) for field in own]
    quoted = text_terms(_join_emphasised("\n".join(quotes)), text.language) if quotes else []
    words = [" ".join(terms) for terms in (*parts, map(quoted_term_mark, quoted)) if terms]
    names = [identifier_part_mark(term) for term in identifier_terms(full_text)]
    names += symbol_terms(full_text)
    compounds = compound_marks(chain.from_iterable(parts), text.language)
    addresses = [
        address_mark(term) for term in dict.fromkeys(address_terms(text.url, text.language))
    ]
    # Store pairs as marks, without positions: that takes a quarter less space.
    pairs = chain.from_iterable(map(syllable_pairs, parts)) if has_syllables(text.language) else ()
    # Terms of most languages are ASCII after folding.
    end_marks = [] if all(map(str.isascii, words)) else ending_sign_marks(full_text)
    return TermEntry(
        words=(*words, " ".join(names)) if names else tuple(words),
        marks=" ".join([*url_site_marks(text.url), *addresses, *compounds, *pairs, *end_marks]),
        length=sum(map(len, (*parts, quoted))),
        lot=_url_lot(text.url),
    )


def _url_lot(url: str) -> int:
    import hashlib  # a search makes no entry

    digest = hashlib.blake2b(url.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def _join_emphasised(text: str) -> str:
    """Return markdown without the marks of emphasis inside a word, which would divide it.

    >>> _join_emphasised("**Q**uokka, un*believ*able, 2 ** n, **bold** words")
    'Quokka, unbelievable, 2 ** n, **bold** words'
    """
    return _INNER_EMPHASIS_PATTERN.sub(r"\2\4", text) if "*" in text else text


def day_number(published: str | None) -> int | None:
    """Return a date as a number that grows with the day; None for a text that is not a date.

    >>> day_number("2026-01-31T10:00"), day_number("2026-01"), day_number("2026-1")
    (20260131, 20260100, None)
    """
    if published is None or not is_iso_date(published):
        return None
    return int(published.replace("-", "")[:_DAY_DIGITS].ljust(_DAY_DIGITS, "0"))


def term_saturation(length: int, usual_length: float) -> float:
    """Return how often a term must occur to count half; long passages need more.

    With it, ``count / (count + term_saturation)`` is BM25's share of the term, from 0 to 1.
    """
    return BM25_K1 * (1 - BM25_B + BM25_B * length / usual_length)


def identifier_part_mark(term: str) -> str:
    """Return the term for a part of an identifier: userProfile matches it at less weight."""
    return f"~{term}"


def quoted_term_mark(term: str) -> str:
    """Return the term for a word that a reply quotes."""
    return f">{term}"


def run_end_mark(sign: str) -> str:
    """Return the mark of a sign that ends a run of unspaced characters."""
    return f"]{sign}"


def ending_sign_marks(text: str) -> list[str]:
    """Return the marks of all signs that end a run in a text.

    >>> ending_sign_marks("東京。犬と猫、犬")
    [']京', ']猫', ']犬']
    """
    return [run_end_mark(_fold_sign(sign)) for sign in dict.fromkeys(ending_signs(text))]


_fold_sign = cache(fold_letters)


def address_mark(term: str) -> str:
    """Return the mark of a word in the address."""
    return f"/{term}"


def address_terms(url: str, language: str = ENGLISH) -> list[str]:
    """Return the words of an address: the last ones of its path.

    >>> address_terms("https://a.example/docs/quick-start.html")
    ['doc', 'quick', 'start', 'html']
    """
    path = url.split("?", 1)[0].split("/", 3)[3:]
    return text_terms(unquote(path[0]), language)[-_MAX_ADDRESS_TERMS:] if path and path[0] else []


def url_site_marks(url: str) -> tuple[str, ...]:
    """Return the marks of the host and of its parent domains.

    >>> url_site_marks("https://docs.python.org:443/3/")
    ('@docs.python.org', '@python.org', '@org')
    """
    return _host_marks(url.split("/", 3)[2].lower() if "://" in url else "")


def site_mark(name: str) -> str:
    """Return the mark of a host or domain.

    >>> site_mark("Python.org."), site_mark("münchen.de")
    ('@python.org', '@xn--mnchen-3ya.de')
    """
    host = name.lower()
    if not host.isascii():
        import idna  # few hosts need it

        # One mark for both spellings of a name; what is none of DNS has no other spelling.
        with suppress(idna.IDNAError, UnicodeError):
            host = idna.encode(host.rstrip("."), uts46=True).decode("ascii")
    allowed = (char if char.isalnum() or char in ".-" else "_" for char in host)
    return "@" + "".join(allowed).rstrip(".")


@lru_cache(maxsize=1024)
def _host_marks(host: str) -> tuple[str, ...]:
    """Return the marks of a host. Cached, because few hosts have many pages."""
    labels = _PORT_PATTERN.sub("", host[-_MAX_HOST_CHARS:]).rstrip(".").split(".")
    return tuple(site_mark(".".join(labels[start:])) for start in range(len(labels)))
