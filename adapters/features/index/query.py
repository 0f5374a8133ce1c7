"""Parse a query into a plan. Every text has a plan: nothing here fails.

Words match in any order and number; more matching words rank higher. A ``"phrase"`` and a ``+word``
are required, ``a AND b`` requires both, ``"phrase" OR b`` one of them; ``-word``, ``-"phrase"`` and
``NOT word`` are excluded. ``begin*`` is any word with that beginning. ``site:example.com`` is that
domain. In a pasted text of many words, quotes, AND and NOT are plain text, and so are signs inside
it. In a question only quotes are operators; in a text in capitals AND, OR and NOT are not.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, TypeAlias

import msgspec

from ...language.detection import detect_stemmer_language
from ...language.folding import fold_letters
from ...language.function_words import (
    foreign_function_words,
    function_words,
    has_question_mark,
    is_question,
    sentence_building_words,
)
from ...language.scripts import find_words, has_unspaced, is_script_sign
from ...language.stems import (
    ENGLISH,
    has_syllables,
    has_vietnamese_marks,
    likely_syllable_pairs,
    stem_word,
)
from ...language.symbols import symbol_terms
from ...language.tokenising import FRAME_WORDS, content_terms, text_terms

MAX_QUERY_TERMS = 256
_MAX_TYPED_WORDS, _MAX_TYPED_SENTENCE_WORDS = 12, 6
_MIN_LONG_QUERY_WORDS = 60
_WORDS_PER_OPERATOR = 6
_MAX_TERSE_WORDS, _CAPITALS_PER_OPERATOR = 3, 3
_MIN_PREFIX_CHARS = 2
_MIN_ENGLISH_WORDS = 2

PartRole: TypeAlias = Literal["wanted", "required", "excluded"]
PartKind: TypeAlias = Literal["words", "phrase", "prefix", "site"]

_PART_PATTERN = re.compile(
    r"""(?P<sign>(?<![^\s(])[-+](?=[^\s\d+-]))?
        (?:(?P<site>site):(?=[^\s"]|"[^"]))?
        (?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))""",
    re.VERBOSE | re.IGNORECASE,
)
_TYPOGRAPHIC_QUOTES = "\u201c\u201d\u201e\u201f\xab\xbb"
_PLAIN_QUOTES_TABLE = str.maketrans(_TYPOGRAPHIC_QUOTES + "\uff02", '"""""""')
_BLANKS_TABLE = dict.fromkeys(map(ord, _TYPOGRAPHIC_QUOTES), " ")
_TYPOGRAPHIC_QUOTE_PATTERN = re.compile(f"[{_TYPOGRAPHIC_QUOTES}]")
# Text between two dashes -like this- is not excluded.
_CLOSING_DASH_PATTERN = re.compile(r"[^\s-]-(?=[\s,.;:!?]|$)")
# Code has a bracket before its quotes: print("heat").
_CALL_PATTERN = re.compile(r'\w[(\[{=]"')
_SENTENCE_ENDS = (".", "!", "\u3002", "\u0964")
_QUESTION_ENDS = ("?", ";", "\u037e", "\u061f", "\uff1f")
_TEXT_ENDS = (*_SENTENCE_ENDS, *_QUESTION_ENDS, ":")
_SIGN_ROLES: dict[str, PartRole] = {"-": "excluded", "+": "required"}
_OPERATORS = ("AND", "OR", "NOT")
_OPERATOR_PATTERN = re.compile(r"AND|OR|NOT|[-+].+|(?i:site:).*")


class SpellingVariant(msgspec.Struct, frozen=True, kw_only=True):
    """A spelling variant: the words ``other``, side by side, stand for all ``typed`` terms."""

    typed: tuple[str, ...]
    other: tuple[str, ...]


class QueryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The search that a query asks for. ``terms`` are in its order; phrases are runs of terms.

    Terms of further languages follow those of the first. Each group in ``required`` needs one of
    its runs; no run of ``excluded`` may occur. A prefix is a run of one term with ``*`` behind it.
    ``repeated`` has the terms that occur more than once, with their count. ``within`` has the
    caller's sites, beside the typed ``sites``. ``variants`` are spelling variants. ``same_words``
    are terms of one word in several languages. ``pairs`` are pairs of Vietnamese syllables.
    ``framing`` are function words: they match nothing by themselves and have less weight.
    """

    terms: tuple[str, ...] = ()
    repeated: tuple[tuple[str, int], ...] = ()
    variants: tuple[SpellingVariant, ...] = ()
    same_words: tuple[tuple[str, ...], ...] = ()
    pairs: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    required: tuple[tuple[tuple[str, ...], ...], ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()
    sites: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    excluded_sites: tuple[str, ...] = ()


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a query. Parts with the same ``choice`` have an OR between them."""

    kind: PartKind
    role: PartRole
    text: str
    choice: int = 0


def plan_query(query: str, languages: Sequence[str] = (ENGLISH,)) -> QueryPlan:
    """Parse a query by the rules of ``languages``, those of the documents.

    >>> plan_query('solar "heat pump" -gas site:a.example').required
    ((('heat', 'pump'),),)
    >>> plan_query("häuser", ("en", "de")).terms
    ('hauser', 'haus')
    """
    parts = _parse_parts(query)
    words = [part for part in parts if part.kind == "words"]
    signed = [part for part in parts if part.kind != "site"]
    begun = [part for part in parts if part.kind == "prefix" and part.role != "excluded"]
    prefixes = [prefix for part in begun for prefix in _prefix_terms(part, languages)]
    texts = [part.text for part in words if part.role != "excluded"]
    is_long = len(words) > _MIN_LONG_QUERY_WORDS
    all_terms = _terms_in_languages(
        texts, _likely_languages(query, languages) if is_long else languages
    )
    all_terms += symbol_terms("\n".join(texts))
    # Function words are not searched beside a prefix either, nor in a long text: there they match
    # the style of a text, not its subject.
    distinct = list(dict.fromkeys(all_terms))
    content = content_terms(distinct, _function_word_terms(query, languages))
    function_terms = [term for term in distinct if term not in content]
    framing = function_terms if function_terms and _is_statement(query, languages) else []
    terms = content[:MAX_QUERY_TERMS]
    counted = Counter(all_terms)
    # A single character is mostly half of a pair: it takes long to search, and pairs tell more.
    if all(map(is_script_sign, terms)):
        prefixes, terms = [*prefixes, *terms], []
    return QueryPlan(
        terms=tuple(terms),
        repeated=tuple((term, counted[term]) for term in terms + framing if counted[term] > 1),
        same_words=_terms_of_same_words(texts, languages) if languages[1:] else (),
        pairs=tuple(dict.fromkeys(_vietnamese_pairs(texts, languages)))[:MAX_QUERY_TERMS],
        framing=tuple(framing),
        prefixes=tuple(dict.fromkeys(prefixes))[:MAX_QUERY_TERMS],
        required=_role_runs(signed, "required", languages),
        excluded=_excluded_runs(signed, languages),
        sites=_sites(parts, excluded=False),
        excluded_sites=_sites(parts, excluded=True),
    )


def embeddable_text(query: str) -> str:
    """Return the text of a query to embed: its words without sites and excluded parts.

    >>> embeddable_text('warm houses -gas site:a.example "heat pump"')
    'warm houses heat pump'
    """
    parts = _parse_parts(query)
    texts = (part.text for part in parts if part.kind != "site" and part.role != "excluded")
    return " ".join(text.strip("*") for text in texts).strip()


def drop_required_phrases(planned: QueryPlan) -> QueryPlan:
    """Return a plan that requires no phrases; single required words stay required.

    >>> drop_required_phrases(plan_query('"heat pump" +winter')).required
    ((('winter',),),)
    """
    single = tuple(runs for runs in planned.required if all(len(run) == 1 for run in runs))
    return msgspec.structs.replace(planned, required=single)


@lru_cache(maxsize=16)  # a search parses its query twice: for words, and for meaning
def _parse_parts(query: str) -> list[_Part]:
    text = _normalise_quotes(query)
    tokens = _tokens(text)
    is_closed = text.rstrip().endswith(_TEXT_ENDS)
    if _is_pasted_text(tokens, text):
        return _ignore_operators(tokens, "wanted", is_closed=is_closed)
    if _is_full_question(tokens, text):
        return _require_choices(_ignore_operators(tokens, "required", is_closed=is_closed))
    return _apply_operators(_drop_operators(tokens) if _is_in_capitals(tokens) else tokens)


def _normalise_quotes(query: str) -> str:
    """Return a query with plain quotes; typographic quotes inside a sentence become blanks.

    A phrase query begins or ends with its quotes, or has other operators.
    """
    before, *quoted = _TYPOGRAPHIC_QUOTE_PATTERN.split(query)
    if not quoted:
        return query.translate(_PLAIN_QUOTES_TABLE)
    after = quoted[-1]
    outside = [*before.split(), *after.split()]
    has_operator = any(map(_OPERATOR_PATTERN.fullmatch, outside))
    is_operand = has_operator or before.endswith(tuple(_SIGN_ROLES))
    is_inside = find_words(before) and (find_words(after) or after.rstrip().endswith(_TEXT_ENDS))
    return query.translate(_BLANKS_TABLE if is_inside and not is_operand else _PLAIN_QUOTES_TABLE)


def _tokens(text: str) -> list[_Part | str]:
    """Return the parts in order; a bare AND, OR or NOT stays a string."""
    tokens: list[_Part | str] = []
    choice = 0
    last_dash = max((dash.start() for dash in _CLOSING_DASH_PATTERN.finditer(text)), default=0)
    for match in _PART_PATTERN.finditer(text):
        word = match["word"]
        if word in _OPERATORS and not match["sign"] and not match["site"]:
            tokens.append(word)
        else:
            choice += tokens[-1:] != ["OR"]
            is_dash = match["sign"] == "-" and match.start() < last_dash
            part = _make_part(match, choice)
            tokens.append(_make_optional(part) if is_dash else part)
    return tokens


def _make_part(match: re.Match[str], choice: int) -> _Part:
    sign, site, phrase, word = match.groups()
    role = _SIGN_ROLES.get(sign, "wanted")
    kind: PartKind = "words" if word else "phrase"
    if site:
        kind = "site"
    # Words of unspaced scripts match wherever they begin and end.
    is_open = kind == "words" and word.endswith("*") and not has_unspaced(word.rstrip("*")[-1:])
    if is_open:
        kind = "prefix"
    return _Part(kind=kind, role=role, text=word or phrase, choice=choice)


def _apply_operators(tokens: Sequence[_Part | str]) -> list[_Part]:
    """Apply quotes, AND and NOT; OR between single words changes nothing."""
    parts: list[_Part] = []
    pending: PartRole | None = None
    for item in tokens:
        if isinstance(item, _Part):
            parts.append(_set_role(item, pending) if pending else item)
            pending = None
        elif item == "NOT":
            pending = "excluded"
        elif item == "AND" and parts:
            parts[-1] = _set_role(parts[-1], "required")
            pending = "required"
    return _require_choices([_phrase_to_words(part, "required") for part in parts])


def _require_choices(parts: list[_Part]) -> list[_Part]:
    """Make every part of a choice required if one of its parts is."""
    required = {part.choice for part in parts if part.role == "required"}
    return [_set_role(part, "required") if part.choice in required else part for part in parts]


def _ignore_operators(
    tokens: list[_Part | str], quoted: PartRole, *, is_closed: bool
) -> list[_Part]:
    """Give quotes the role ``quoted``; drop signs that have words or a sentence end behind them."""
    parts = _drop_operators(tokens)
    wanted = [at for at, part in enumerate(parts) if part.kind != "site" and part.role == "wanted"]
    first = min(wanted, default=0)
    last = len(parts) if is_closed else max(wanted, default=0)
    return [
        _phrase_to_words(_make_optional(part) if first < at < last else part, quoted)
        for at, part in enumerate(parts)
    ]


def _drop_operators(tokens: list[_Part | str]) -> list[_Part]:
    return [item for item in tokens if isinstance(item, _Part)]


def _is_pasted_text(tokens: list[_Part | str], text: str) -> bool:
    """Tell whether the query is a pasted text, with many words for each operator, or code."""
    words = sum(isinstance(item, _Part) and item.kind == "words" for item in tokens)
    joints = sum(isinstance(item, str) for item in tokens)
    is_sentence = text.rstrip().endswith(_SENTENCE_ENDS)
    is_long = words > (_MAX_TYPED_SENTENCE_WORDS if is_sentence else _MAX_TYPED_WORDS)
    is_prose = is_long and words > _WORDS_PER_OPERATOR * joints
    return is_prose or _CALL_PATTERN.search(text) is not None


def _is_full_question(tokens: list[_Part | str], text: str) -> bool:
    """Tell whether the query is a question, where a minus sign does not exclude."""
    is_question = text.rstrip().endswith(_QUESTION_ENDS) and has_question_mark(text)
    return is_question and len(_drop_operators(tokens)) > _MAX_TERSE_WORDS


def _is_in_capitals(tokens: list[_Part | str]) -> bool:
    """Tell whether a text is all in capitals, so that AND is a plain word."""
    words = _drop_operators(tokens)
    operators = len(tokens) - len(words)
    is_long = len(words) > max(_MAX_TERSE_WORDS, _CAPITALS_PER_OPERATOR * operators)
    return is_long and "".join(part.text for part in words).isupper()


def _phrase_to_words(part: _Part, role: PartRole) -> _Part:
    """Return a phrase as words with this role, unless it already has another role."""
    if part.kind != "phrase":
        return part
    return msgspec.structs.replace(_set_role(part, role), kind="words")


def _make_optional(part: _Part) -> _Part:
    return part if part.kind == "site" else msgspec.structs.replace(part, role="wanted")


def _set_role(part: _Part, role: PartRole) -> _Part:
    return msgspec.structs.replace(part, role=role) if part.role == "wanted" else part


def _terms_in_languages(texts: list[str], languages: Sequence[str]) -> list[str]:
    """Return the terms of texts; further languages add the terms that are new."""
    first, *further_languages = languages
    text = "\n".join(texts)
    terms = text_terms(text, first)
    for language in further_languages:
        existing = set(terms)
        terms += [term for term in text_terms(text, language) if term not in existing]
    return terms


def _terms_of_same_words(texts: list[str], languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the terms of each word that languages stem differently, if they split it alike."""
    groups: dict[tuple[str, ...], None] = {}
    for text in texts:
        lists = [text_terms(text, language) for language in languages]
        if len(set(map(len, lists))) == 1:
            groups |= dict.fromkeys(
                tuple(dict.fromkeys(terms)) for terms in zip(*lists, strict=True)
            )
    return tuple(group for group in groups if group[1:])


def _vietnamese_pairs(texts: list[str], languages: Sequence[str]) -> list[str]:
    text = unicodedata.normalize("NFC", " ".join(texts))
    spoken = filter(has_syllables, languages)
    return [pair for code in spoken for pair in likely_syllable_pairs(text, text_terms(text, code))]


def _function_word_terms(query: str, languages: Sequence[str]) -> frozenset[str] | None:
    """Return the function-word terms of the language that a question is in.

    None where that can only be English. English function words are content words elsewhere: an,
    can, in and to in unmarked Vietnamese, at, his and on in Turkish; and their stems equal those of
    other words (andere, iş).
    """
    if list(languages) == [ENGLISH]:
        return None
    lowered = unicodedata.normalize("NFC", query.lower())
    words = frozenset(find_words(lowered))
    spoken = filter(has_syllables, languages) if has_vietnamese_marks(lowered) else ()
    vietnamese = frozenset().union(*map(function_words, spoken))
    frame = vietnamese or _question_frame(lowered, words, languages)
    used = frame & words if frame else _english_frame(words, languages)
    return frozenset(_terms_in_languages(list(used), languages))


def _question_frame(
    lowered: str, words: frozenset[str], languages: Sequence[str]
) -> frozenset[str]:
    """Return the function words, and the question words if there is a question mark.

    If all documents are in one language, one function word is enough.
    """
    is_asked = has_question_mark(lowered)
    if is_asked and len(languages) == 1:
        return sentence_building_words(languages[0], is_asked=True)
    return foreign_function_words(words, languages, is_asked=is_asked)


def _english_frame(words: frozenset[str], languages: Sequence[str]) -> frozenset[str]:
    """Return the English function words, unless a single one stands in a foreign query."""
    english = words & FRAME_WORDS
    is_likely = ENGLISH in languages or len(english) >= _MIN_ENGLISH_WORDS
    return english if is_likely else frozenset()


def _is_statement(query: str, languages: Sequence[str]) -> bool:
    """Tell whether a query is a statement, written like the text that answers it.

    In an index of several languages function words only show the language. Pairs of characters and
    of syllables already reflect how a text is written.
    """
    if has_unspaced(query) or len(languages) > 1 or has_syllables(languages[0]):
        return False
    return not is_question(unicodedata.normalize("NFC", query.lower()), languages[0])


def _likely_languages(query: str, languages: Sequence[str]) -> list[str]:
    """Return the documents' languages that a long text may be in; English is the fallback."""
    likely = (ENGLISH, detect_stemmer_language(query))
    return [language for language in languages if language in likely] or list(languages)


def _role_runs(
    parts: list[_Part], role: PartRole, languages: Sequence[str]
) -> tuple[tuple[tuple[str, ...], ...], ...]:
    choices: dict[int, list[_Part]] = {}
    for part in parts:
        if part.role == role:
            choices.setdefault(part.choice, []).append(part)
    several = [tuple(_choice_runs(group, languages)) for group in choices.values() if group[1:]]
    single = [part for group in choices.values() if not group[1:] for part in group]
    runs = [_part_runs(part, languages) for part in single]
    symbols = [((symbol,),) for part in single for symbol in symbol_terms(part.text)]
    groups = dict.fromkeys(group for group in (*several, *runs, *symbols) if group)
    return tuple(groups)[:MAX_QUERY_TERMS]


def _part_runs(part: _Part, languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the words of a part side by side, in each language that stems them differently."""
    prefixes = _prefix_terms(part, languages) if part.kind == "prefix" else []
    if prefixes:
        return tuple(dict.fromkeys((prefix_run_term(prefix),) for prefix in prefixes))
    runs = dict.fromkeys(tuple(text_terms(part.text, code)[:MAX_QUERY_TERMS]) for code in languages)
    return tuple(runs) if all(runs) else ()


def _choice_runs(parts: list[_Part], languages: Sequence[str]) -> dict[tuple[str, ...], None]:
    """Return the runs of a choice; C++ gives the name with its signs, not every C."""
    symbols = ((part, [(symbol,) for symbol in symbol_terms(part.text)]) for part in parts)
    runs = (symbol_runs or _part_runs(part, languages) for part, symbol_runs in symbols)
    return dict.fromkeys(chain.from_iterable(runs))


def _excluded_runs(parts: list[_Part], languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the excluded runs; C++ gives the name with its signs, not every C."""
    excluded = [part for part in parts if part.role == "excluded"]
    symbols = tuple((symbol,) for part in excluded for symbol in symbol_terms(part.text))
    plain = [part for part in excluded if not symbol_terms(part.text)]
    return (*symbols, *chain.from_iterable(_role_runs(plain, "excluded", languages)))


def prefix_run_term(prefix: str) -> str:
    """Return how a run of words writes a prefix; no term of a text has this sign."""
    return f"{prefix}*"


def _prefix_terms(part: _Part, languages: Sequence[str]) -> list[str]:
    """Return how the indexed forms begin of words that begin like ``part``."""
    words = find_words(fold_letters(part.text))
    if not words or len(words[-1]) < _MIN_PREFIX_CHARS:
        return []
    prefix = words[-1]
    stems = (fold_letters(stem_word(prefix, language)) for language in languages)
    return [stemmed if prefix.startswith(stemmed) else prefix for stemmed in stems]


def _sites(parts: list[_Part], *, excluded: bool) -> tuple[str, ...]:
    names = (
        part.text.lower().partition("/")[0].strip(".*")
        for part in parts
        if part.kind == "site" and (part.role == "excluded") is excluded
    )
    return tuple(dict.fromkeys(name for name in names if name))[:MAX_QUERY_TERMS]
