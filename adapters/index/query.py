"""What a user typed, as a plan. Any text at all has one: nothing here can fail.

Words are looked for in any order and number; the more of them a passage has, the better. A
``"phrase"`` and a ``+word`` must be there, ``a AND b`` means both, ``"phrase" OR b`` one of them;
``-word``, ``-"phrase"`` and ``NOT word`` must not. ``begin*`` is any word that begins so.
``site:example.com`` is that domain.
In a text of many words, that somebody pasted, quotes, AND and NOT are part of the text, and so are
signs that stand inside of it. In a question all but quotes are, in capitals AND, OR and NOT.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from ..language.folding import fold
from ..language.function_words import (
    building_words,
    detect_language,
    function_words,
    has_question_mark,
    is_question,
    sentence_words,
)
from ..language.scripts import find_words, has_unspaced, is_sign
from ..language.stems import ENGLISH, has_syllables, is_marked, likely_pairs, stem
from ..language.symbols import symbol_terms
from ..language.tokenising import FRAME_WORDS, content_terms, text_terms

MAX_QUERY_TERMS = 256
_MANY_WORDS, _MANY_WORDS_OF_A_SENTENCE = 12, 6
_MIN_LONG_QUERY_WORDS = 60
_WORDS_PER_OPERATOR = 6
_FEW_WORDS, _CAPITALS_PER_OPERATOR = 3, 3
_MIN_PREFIX_CHARS = 2
_MIN_ENGLISH_WORDS = 2

Role: TypeAlias = Literal["wanted", "required", "excluded"]

_PART = re.compile(
    r"""(?P<sign>(?<![^\s(])[-+](?=[^\s\d+-]))?
        (?:(?P<site>site):(?=[^\s"]|"[^"]))?
        (?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))""",
    re.VERBOSE | re.IGNORECASE,
)
_QUOTES_OF_PRINT = "\u201c\u201d\u201e\u201f\xab\xbb"
_QUOTES = str.maketrans(_QUOTES_OF_PRINT + "\uff02", '"""""""')
_BLANKS = dict.fromkeys(map(ord, _QUOTES_OF_PRINT), " ")
_QUOTE_OF_PRINT = re.compile(f"[{_QUOTES_OF_PRINT}]")
# What is between two dashes -like this- is not excluded.
_CLOSING_DASH = re.compile(r"[^\s-]-(?=[\s,.;:!?]|$)")
# Code has its quotes behind a bracket: print("heat").
_CALL = re.compile(r'\w[(\[{=]"')
_ENDS_OF_A_SENTENCE = (".", "!", "\u3002", "\u0964")
_ENDS_OF_A_QUESTION = ("?", ";", "\u037e", "\u061f", "\uff1f")
_ENDS = (*_ENDS_OF_A_SENTENCE, *_ENDS_OF_A_QUESTION, ":")
_SIGNS: dict[str, Role] = {"-": "excluded", "+": "required"}
_OPERATORS = ("AND", "OR", "NOT")
_OPERATOR = re.compile(r"AND|OR|NOT|[-+].+|(?i:site:).*")


class SpellingVariant(msgspec.Struct, frozen=True, kw_only=True):
    """Another way to write words of a query: ``other``, side by side, stands for all ``typed``."""

    typed: tuple[str, ...]
    other: tuple[str, ...]


class QueryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to look for. ``text_terms`` are in the order of the query; phrases are runs of terms.

    A query has a term for each language that says it otherwise, one language after the other. Of
    each in ``required`` one run must be there, of ``excluded`` none may be.
    ``repeated`` are the terms that the query has more than once, and how often. ``within`` are the
    sites that a caller asks for, beside those that are typed. ``writings`` are what else counts as
    some of the terms. ``alike`` are terms of one word in several languages. ``pairs`` are syllables
    of Vietnamese side by side. ``framing`` are terms that only build the sentence: nothing is found
    by them, and they count less than the others.
    """

    terms: tuple[str, ...] = ()
    repeated: tuple[tuple[str, int], ...] = ()
    writings: tuple[SpellingVariant, ...] = ()
    alike: tuple[tuple[str, ...], ...] = ()
    pairs: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    required: tuple[tuple[tuple[str, ...], ...], ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()
    sites: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    excluded_sites: tuple[str, ...] = ()


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a query. Those of one ``choice`` have an OR between them."""

    kind: Literal["words", "phrase", "prefix", "site"]
    role: Role
    text: str
    choice: int = 0


def plan_index_query(query: str, languages: Sequence[str] = (ENGLISH,)) -> QueryPlan:
    """Read a query by the rules of ``languages``, those of the documents.

    >>> plan_index_query('solar "heat pump" -gas site:a.example').required
    ((('heat', 'pump'),),)
    >>> plan_index_query("häuser", ("en", "de")).terms
    ('hauser', 'haus')
    """
    parts = _read(query)
    words = [part for part in parts if part.kind == "words"]
    prefixes = [
        prefix for part in parts if part.kind == "prefix" for prefix in _prefix(part, languages)
    ]
    wanted = [part.text for part in words if part.role != "excluded"]
    is_long = len(words) > _MIN_LONG_QUERY_WORDS
    looked_for = _terms(wanted, _own_language(query, languages) if is_long else languages)
    looked_for += (symbol for text in wanted for symbol in symbol_terms(text))
    # A word that is only there to build the sentence is not looked for beside a prefix either. Nor
    # is it in a long text: it finds what was written with that, but less of what is on its subject.
    once = list(dict.fromkeys(looked_for))
    said = content_terms(once, _frame_terms(query, languages))
    unsaid = [term for term in once if term not in said]
    framing = unsaid if unsaid and _is_written_alike(query, languages) else []
    looked_up = said[:MAX_QUERY_TERMS]
    counted = Counter(looked_for)
    # A single character is mostly half of a pair. To look for all of them takes long, and what
    # stands beside it tells more.
    if all(map(is_sign, looked_up)):
        prefixes, looked_up = [*prefixes, *looked_up], []
    return QueryPlan(
        terms=tuple(looked_up),
        repeated=tuple((each, counted[each]) for each in looked_up + framing if counted[each] > 1),
        alike=_alike(wanted, languages) if languages[1:] else (),
        pairs=tuple(dict.fromkeys(_pairs(wanted, languages)))[:MAX_QUERY_TERMS],
        framing=tuple(framing),
        prefixes=tuple(dict.fromkeys(prefixes))[:MAX_QUERY_TERMS],
        required=_phrases(words, "required", languages),
        excluded=_excluded(words, languages),
        sites=_sites(parts, excluded=False),
        excluded_sites=_sites(parts, excluded=True),
    )


def embeddable_text(query: str) -> str:
    """Return what of a query is worth embedding: its words, without sites and what it excludes.

    >>> embeddable_text('warm houses -gas site:a.example "heat pump"')
    'warm houses heat pump'
    """
    parts = _read(query)
    texts = (part.text for part in parts if part.kind != "site" and part.role != "excluded")
    return " ".join(text.strip("*") for text in texts).strip()


def without_phrases(planned: QueryPlan) -> QueryPlan:
    """Return a plan that requires no words side by side; a single word that must be there stays.

    >>> without_phrases(plan_index_query('"heat pump" +winter')).required
    ((('winter',),),)
    """
    single = tuple(runs for runs in planned.required if all(len(run) == 1 for run in runs))
    return msgspec.structs.replace(planned, required=single)


def _read(query: str) -> list[_Part]:
    text = _with_quotes(query)
    tokens = _parts(text)
    is_closed = text.rstrip().endswith(_ENDS)
    if _is_prose(tokens, text):
        return _without_operators(tokens, "wanted", is_closed=is_closed)
    if _is_asked(tokens, text):
        return _chosen(_without_operators(tokens, "required", is_closed=is_closed))
    return _with_operators(_words(tokens) if _is_in_capitals(tokens) else tokens)


def _with_quotes(query: str) -> str:
    """Return a query with plain quotes, without those that are inside of a text as print has it.

    Who asks for words side by side begins or ends with them, or has other operators.
    """
    before, *quoted = _QUOTE_OF_PRINT.split(query)
    if not quoted:
        return query.translate(_QUOTES)
    after = quoted[-1]
    around = [*before.split(), *after.split()]
    is_asked_for = before.endswith(tuple(_SIGNS)) or any(map(_OPERATOR.fullmatch, around))
    is_inside = find_words(before) and (find_words(after) or after.rstrip().endswith(_ENDS))
    return query.translate(_BLANKS if is_inside and not is_asked_for else _QUOTES)


def _parts(text: str) -> list[_Part | str]:
    """Return the parts in order; a bare AND, OR or NOT stays a string."""
    tokens: list[_Part | str] = []
    choice = 0
    closed = max((dash.start() for dash in _CLOSING_DASH.finditer(text)), default=0)
    for match in _PART.finditer(text):
        word = match["word"]
        if word in _OPERATORS and not match["sign"] and not match["site"]:
            tokens.append(word)
        else:
            choice += tokens[-1:] != ["OR"]
            is_dash = match["sign"] == "-" and match.start() < closed
            part = _as_wanted(_part(match)) if is_dash else _part(match)
            tokens.append(msgspec.structs.replace(part, choice=choice))
    return tokens


def _part(match: re.Match[str]) -> _Part:
    role = _SIGNS.get(match["sign"] or "", "wanted")
    phrase, word = match["phrase"], match["word"]
    if match["site"]:
        return _Part(kind="site", role=role, text=word or phrase)
    if phrase is not None:
        return _Part(kind="phrase", role=role, text=phrase)
    # Words of scripts without blanks are found wherever they begin and end.
    if word.endswith("*") and role != "excluded" and not has_unspaced(word.rstrip("*")[-1:]):
        return _Part(kind="prefix", role=role, text=word)
    return _Part(kind="words", role=role, text=word)


def _with_operators(tokens: Sequence[_Part | str]) -> list[_Part]:
    """Apply quotes, and AND and NOT to their neighbours; OR is what single words mean anyway."""
    parts: list[_Part] = []
    pending: Role | None = None
    for item in tokens:
        if isinstance(item, _Part):
            parts.append(_as(item, pending) if pending else item)
            pending = None
        elif item == "NOT":
            pending = "excluded"
        elif item == "AND" and parts:
            parts[-1] = _as(parts[-1], "required")
            pending = "required"
    return _chosen([_as_words(part, "required") for part in parts])


def _chosen(parts: list[_Part]) -> list[_Part]:
    """Have one of what has an OR between it be there, if some of it must."""
    must = {part.choice for part in parts if part.role == "required"}
    # How words begin is looked for, and never a must; nor is what could be there in its place.
    free = {part.choice for part in parts if part.kind == "prefix"}
    return [_in_choice(part, must - free, free) for part in parts]


def _in_choice(part: _Part, must: set[int], free: set[int]) -> _Part:
    if part.choice in must:
        return _as(part, "required")
    is_free = part.role == "required" and part.choice in free
    return _as_wanted(part) if is_free else part


def _without_operators(tokens: list[_Part | str], quoted: Role, *, is_closed: bool) -> list[_Part]:
    """Take quotes for this, and signs that have words or the end of a sentence behind for text."""
    parts = _words(tokens)
    plain = [at for at, part in enumerate(parts) if part.kind != "site" and part.role == "wanted"]
    first = min(plain, default=0)
    last = len(parts) if is_closed else max(plain, default=0)
    return [
        _as_words(_as_wanted(part) if first < at < last else part, quoted)
        for at, part in enumerate(parts)
    ]


def _words(tokens: list[_Part | str]) -> list[_Part]:
    return [item for item in tokens if isinstance(item, _Part)]


def _is_prose(tokens: list[_Part | str], text: str) -> bool:
    """Tell whether somebody pasted a text: words, and hardly an operator among them; or code."""
    words = sum(isinstance(item, _Part) and item.kind == "words" for item in tokens)
    operators = sum(isinstance(item, str) for item in tokens)
    is_sentence = text.rstrip().endswith(_ENDS_OF_A_SENTENCE)
    many = words > (_MANY_WORDS_OF_A_SENTENCE if is_sentence else _MANY_WORDS)
    return _CALL.search(text) is not None or (many and words > _WORDS_PER_OPERATOR * operators)


def _is_asked(tokens: list[_Part | str], text: str) -> bool:
    """Tell whether a text is a question: what is left out of a search is not said so in one."""
    ends = text.rstrip().endswith(_ENDS_OF_A_QUESTION) and has_question_mark(text)
    return ends and len(_words(tokens)) > _FEW_WORDS


def _is_in_capitals(tokens: list[_Part | str]) -> bool:
    """Tell whether all of a text is in capitals, so that AND is nothing but a word of it."""
    words = _words(tokens)
    operators = len(tokens) - len(words)
    is_long = len(words) > max(_FEW_WORDS, _CAPITALS_PER_OPERATOR * operators)
    return is_long and "".join(part.text for part in words).isupper()


def _as_words(part: _Part, role: Role) -> _Part:
    """Return a phrase as words that are looked for in this role, unless it has another."""
    if part.kind != "phrase":
        return part
    return msgspec.structs.replace(_as(part, role), kind="words")


def _as_wanted(part: _Part) -> _Part:
    return part if part.kind == "site" else msgspec.structs.replace(part, role="wanted")


def _as(part: _Part, role: Role) -> _Part:
    return msgspec.structs.replace(part, role=role) if part.role == "wanted" else part


def _terms(texts: list[str], languages: Sequence[str]) -> list[str]:
    """Return the terms of texts; of each further language those that are new."""
    first, *others = languages
    looked_for = [term for text in texts for term in text_terms(text, first)]
    for language in others:
        known = set(looked_for)
        further = (term for text in texts for term in text_terms(text, language))
        looked_for += [term for term in further if term not in known]
    return looked_for


def _alike(texts: list[str], languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the terms of each word that languages say otherwise, where they cut it alike."""
    found: dict[tuple[str, ...], None] = {}
    for text in texts:
        said = [text_terms(text, each) for each in languages]
        if len({len(each) for each in said}) == 1:
            found |= dict.fromkeys(tuple(dict.fromkeys(each)) for each in zip(*said, strict=True))
    return tuple(each for each in found if each[1:])


def _pairs(texts: list[str], languages: Sequence[str]) -> list[str]:
    text = unicodedata.normalize("NFC", " ".join(texts))
    spoken = filter(has_syllables, languages)
    return [pair for each in spoken for pair in likely_pairs(text, text_terms(text, each))]


def _frame_terms(query: str, languages: Sequence[str]) -> frozenset[str] | None:
    """Return the terms of what builds the sentence, in the language that a question is in.

    None where that can only be English. What builds its sentences tells something in others: an,
    can, in and to are words of Vietnamese without their marks, at, his and on of Turkish; and its
    stems are those of other words there (andere, iş).
    """
    if list(languages) == [ENGLISH]:
        return None
    plain = unicodedata.normalize("NFC", query.lower())
    words = frozenset(find_words(plain))
    spoken = [each for each in languages if has_syllables(each)] if is_marked(plain) else []
    own = frozenset().union(*map(function_words, spoken)) or _own_frame(plain, words, languages)
    frame = own & words if own else _english(words, languages)
    return frozenset(_terms(list(frame), languages))


def _own_frame(small: str, words: frozenset[str], languages: Sequence[str]) -> frozenset[str]:
    """Return what builds the sentence, and what asks if it has the mark of a question.

    Where all documents are in one language, a question is in that, though one word alone tells it.
    """
    is_asked = has_question_mark(small)
    if is_asked and len(languages) == 1:
        return building_words(languages[0], is_asked=True)
    return sentence_words(words, languages, is_asked=is_asked)


def _english(words: frozenset[str], languages: Sequence[str]) -> frozenset[str]:
    """Return the words that build a sentence of English, where one of them does not stand alone."""
    english = words & FRAME_WORDS
    is_likely = ENGLISH in languages or len(english) >= _MIN_ENGLISH_WORDS
    return english if is_likely else frozenset()


def _is_written_alike(query: str, languages: Sequence[str]) -> bool:
    """Tell whether a query is built as what answers it is: a statement and no question.

    In an index of several languages what builds a sentence tells little but its language. Pairs of
    characters and of syllables tell by themselves how a text is written.
    """
    if has_unspaced(query) or len(languages) > 1 or has_syllables(languages[0]):
        return False
    return not is_question(unicodedata.normalize("NFC", query.lower()), languages[0])


def _own_language(query: str, languages: Sequence[str]) -> list[str]:
    """Return which of the documents' languages a long text is in; English is what tells none."""
    return [each for each in languages if each in (ENGLISH, detect_language(query))] or list(
        languages
    )


def _phrases(
    parts: list[_Part], role: Role, languages: Sequence[str]
) -> tuple[tuple[tuple[str, ...], ...], ...]:
    choices: dict[int, list[_Part]] = {}
    for part in parts:
        if part.role == role:
            choices.setdefault(part.choice, []).append(part)
    several = [tuple(_any_run(each, languages)) for each in choices.values() if each[1:]]
    single = [part for each in choices.values() if not each[1:] for part in each]
    runs = [_runs(part, languages) for part in single]
    symbols = [((symbol,),) for part in single for symbol in symbol_terms(part.text)]
    return tuple(dict.fromkeys(each for each in (*several, *runs, *symbols) if each))[
        :MAX_QUERY_TERMS
    ]


def _runs(part: _Part, languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the words of a part side by side, in each language that says them otherwise."""
    runs = dict.fromkeys(tuple(text_terms(part.text, each)[:MAX_QUERY_TERMS]) for each in languages)
    return tuple(runs) if all(runs) else ()


def _any_run(parts: list[_Part], languages: Sequence[str]) -> dict[tuple[str, ...], None]:
    """Return what of a choice may be there: of C++ the name with its signs, not every C."""
    symbols = [[(symbol,) for symbol in symbol_terms(part.text)] for part in parts]
    return dict.fromkeys(
        run
        for part, own in zip(parts, symbols, strict=True)
        for run in own or _runs(part, languages)
    )


def _excluded(parts: list[_Part], languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return what must not be there: of C++ the name with its signs, not every C."""
    unwanted = [part for part in parts if part.role == "excluded"]
    symbols = tuple((symbol,) for part in unwanted for symbol in symbol_terms(part.text))
    plain = [part for part in unwanted if not symbol_terms(part.text)]
    return symbols + tuple(run for runs in _phrases(plain, "excluded", languages) for run in runs)


def _prefix(part: _Part, languages: Sequence[str]) -> list[str]:
    """Return how the indexed form of a word begins that begins as ``part`` does."""
    words = find_words(fold(part.text))
    if not words or len(words[-1]) < _MIN_PREFIX_CHARS:
        return []
    begin = words[-1]
    stems = (fold(stem(begin, language)) for language in languages)
    return [stemmed if begin.startswith(stemmed) else begin for stemmed in stems]


def _sites(parts: list[_Part], *, excluded: bool) -> tuple[str, ...]:
    names = (
        part.text.lower().partition("/")[0].strip(".*")
        for part in parts
        if part.kind == "site" and (part.role == "excluded") is excluded
    )
    return tuple(dict.fromkeys(name for name in names if name))[:MAX_QUERY_TERMS]
