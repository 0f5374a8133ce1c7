"""Judge whether a page says what a claim says.

A claim is supported only if it is a whole sentence of the page, word for word after the
normalisation of ``sentence_tokens``. Linking phrases and asides may be left out. Every other
difference is a fact, in every language, and makes the claim weak.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from webseam.ports.evidence import ClaimFault, Doubt, Support, Verdict

from .content_words import lower_words
from .page_view import QuoteContext, join_lines, split_sentences
from .sentence_tokens import PAUSE, Tokens, fold_claim, is_figure, sentence_tokens, token_figures

LEXICAL_JUDGE = "words"
_MIN_SHARED_WORDS = 0.5
# A claim that has this much of a sentence, in order, is shown in the sentence's own words.
_MIN_SHARED_ORDER = 0.6
_MAX_SHOWN_CHARS = 400
# A longer sentence is compared in part, and supports nothing.
_MAX_SENTENCE_CHARS = 2000
_MIN_SUPPORTED_SCORE, _MIN_WEAK_SCORE = 0.5, 0.3

_JOINING_WORDS = frozenset(("and", "but", "und", "aber", "et", "mais", "y", "pero"))
# A claim may leave these out of a sentence, and may add them.
_LINKING_PHRASES = (
    "however|moreover|furthermore|additionally|in addition|also|indeed|in fact|of course|jedoch"
    "|zudem|au\u00dferdem|allerdings|cependant|toutefois|en outre|de plus|sin embargo|adem\u00e1s"
    "|asimismo"
)
# A claim may leave these out, and may not add them: they draw a conclusion.
_CONCLUDING_PHRASES = (
    "so|thus|therefore|hence|consequently|as a result|for example|for instance|meanwhile|daher"
    "|deshalb|zum beispiel|ainsi|donc|par exemple|por lo tanto|por ejemplo"
)
_LINKING_PATTERN = re.compile(_LINKING_PHRASES, re.IGNORECASE)
_LINKING_OR_CONCLUDING_PATTERN = re.compile(
    f"{_LINKING_PHRASES}|{_CONCLUDING_PHRASES}", re.IGNORECASE
)
_ASIDE_WORDS = frozenset(("which", "who", "whose", "whom", "qui"))
_PERSON_WORDS = frozenset(("who", "whose"))
_LEAD_IN_PATTERN = re.compile(
    r"\A(?:according to|as per) (?:the|this) (?:page|article|source|passage|text|site|document),\s*"
    r"|\Athe (?:page|article|source|passage|text|site|document) (?:says|states|notes) that\s",
    re.IGNORECASE,
)
_NEGATION_PATTERN = re.compile(
    r"not|no|never|none|nor|neither|nobody|nothing|nowhere|without|hardly|barely|scarcely|falsely"
    r"|false|untrue|nichts?|nie|niemals|ohne|niemand|kein(?:e[mnrs]?)?|ne|n|pas|jamais|aucune?"
    r"|sans|rien|nunca|jam\u00e1s|ning\u00fan|ningun[ao]|sin|nadie|nada|non|senza|mai|nessun|niet"
    r"|geen|nooit|zonder|n\u00e3o|sem|nem",
    re.IGNORECASE,
)
# A neighbour that takes the sentence back. It can only lower a verdict.
_RETRACTION_PATTERN = re.compile(
    r"\b(?:false|wrong|untrue|incorrect|mistaken|myths?|misconceptions?|hoax(?:es)?|rumou?rs?|fake"
    r"|satir\w+|debunked|refuted|denied|denies|retract\w*|disproved|disproven|hardly|nonsense"
    r"|fiction(?:al)?|novel|plot|no (?:evidence|proof|study|studies)|no longer|outdated"
    r"|not (?:true|so|the case|correct)|never happened|falsch|widerlegt|m\u00e4rchen|dementiert"
    r"|faux|fausse|d\u00e9menti\w*|falso|falsa|desmentido|bulo|mito)\b",
    re.IGNORECASE,
)
_POINTING_BACK_PATTERN = re.compile(
    r"\W*(?:this|that|these|those|it|they|no|not|none|both|all|wrong|false|hardly|nonsense|nothing"
    r"|but|however|yet|das|dies\w*|es|nein|aber|c'est|cela|ceci|ce|mais|esto|eso|pero)\b",
    re.IGNORECASE,
)
_MAX_RETRACTION_CHARS = 160
_NAME_PATTERN = re.compile(r"(?<=[^\W_][ ,]\s)[^\W\d_a-z][^\W_]+|(?<=[^\W_]\s)[^\W\d_a-z][^\W_]+")
_LETTERS_PATTERN = re.compile(r"[^\W\d_]+")
# German writes every noun with a capital, so a capital is no sign of a name there.
_GERMAN_PATTERN = re.compile(r"\b(?:der|die|das|und|ist|ein|eine|nicht|mit|von|den|dem|im|zu)\b")
_STEM_CHARS = 6
_MIN_WORD_CHARS = 4
_MAX_CUT_NEGATION_TOKENS, _MAX_CUT_OPENING_TOKENS = 5, 12


class ClaimVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """How a claim compares with the sentences around its quotes.

    ``sentence`` is the page's sentence that a weak claim is close to, empty if there is none.
    """

    support: Support
    sentence: str = ""


class _PageSentence:
    """A sentence of the page, and the forms in which a claim may repeat it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = sentence_tokens(text[:_MAX_SENTENCE_CHARS])
        is_whole = len(text) <= _MAX_SENTENCE_CHARS
        self.forms = frozenset(_sentence_forms(self.tokens)) if is_whole else frozenset()

    @property
    def has_question_mark(self) -> bool:
        return "?" in self.tokens[-2:]


def check_claim(
    written_claim: str, contexts: Sequence[QuoteContext], passage: str = ""
) -> ClaimVerdict:
    """Return whether the sentences around the quotes say what the claim says."""
    claim = _LEAD_IN_PATTERN.sub("", join_lines(written_claim))
    tokens = sentence_tokens(claim)
    sentences = [_PageSentence(text) for context in contexts for text in context.sentences]
    is_taken_back = any(map(_is_retracted, contexts))
    if not is_taken_back and _is_sentence_run(claim, tokens, sentences):
        return _make_verdict("supported", 1.0)
    share = _shared_words(claim, [sentence.text for sentence in sentences])
    faults = tuple(_claim_faults(claim, tokens, sentences, contexts, passage))
    if not faults and share < _MIN_SHARED_WORDS:
        faults = ("unrelated",)
    if faults:
        return _make_verdict("refused", share, faults=faults)
    if is_taken_back:
        return _make_verdict("weak", share, doubt="taken_back")
    best = _closest_sentence(tokens, sentences)
    changes = tuple(_word_changes(best.tokens, tokens))
    is_cut = all(not new for _, new in changes)
    is_close = _common_tokens(best.tokens, tokens) >= _MIN_SHARED_ORDER * len(tokens)
    verdict = _make_verdict("weak", share, doubt="cut" if is_cut else "changed", changes=changes)
    is_shown = is_close and len(best.text) <= _MAX_SHOWN_CHARS
    return replace(verdict, sentence=best.text) if is_shown else verdict


def _make_verdict(
    verdict: Verdict,
    score: float,
    *,
    faults: tuple[ClaimFault, ...] = (),
    doubt: Doubt | None = None,
    changes: tuple[tuple[str, str], ...] = (),
) -> ClaimVerdict:
    doubts = () if doubt is None else (doubt,)
    support = Support(
        verdict=verdict,
        by=LEXICAL_JUDGE,
        faults=faults,
        doubts=doubts,
        changes=changes,
        score=score,
    )
    return ClaimVerdict(support=support)


def _sentence_forms(tokens: Tokens) -> Iterator[Tokens]:
    """Yield a sentence whole, without linking phrases, and without one aside."""
    forms = (
        tokens,
        *(_drop_links(tokens, link) for link in (_LINKING_PATTERN, _LINKING_OR_CONCLUDING_PATTERN)),
    )
    for form in dict.fromkeys(forms):
        yield form
        for start, token in enumerate(form[:-1]):
            if token != PAUSE or form[start + 1] not in _ASIDE_WORDS:
                continue
            end = next((at for at in range(start + 1, len(form)) if form[at] == PAUSE), len(form))
            # The end of a sentence may take it back: "..., which is false".
            if end < len(form) or form[start + 1] in _PERSON_WORDS:
                yield form[:start] + form[end + 1 :]


def _drop_links(tokens: Tokens, link: re.Pattern[str]) -> Tokens:
    """Leave out phrases that link a sentence: at its beginning, or between pauses."""
    if tokens and tokens[0] in _JOINING_WORDS and tokens[1:2] != ("for",):
        tokens = tokens[1 + (tokens[1:2] == (PAUSE,)) :]
    parts = " ".join(tokens).split(f" {PAUSE} ")
    text, follows_phrase = "", False
    for part in parts:
        if link.fullmatch(part):
            follows_phrase = bool(text)
        else:
            joint = (" " if follows_phrase else f" {PAUSE} ") if text else ""
            text, follows_phrase = f"{text}{joint}{part}", False
    return fold_claim(tuple(text.split()))


def _is_sentence_run(claim: str, tokens: Tokens, sentences: Sequence[_PageSentence]) -> bool:
    """Tell whether a claim is a run of the page's sentences; "and" may join two of them."""
    parts = [sentence_tokens(claim[start:end]) for start, end in split_sentences(claim)]
    for first in range(len(sentences) - len(parts) + 1):
        run = sentences[first : first + len(parts)]
        if all(
            _is_same_sentence(part, sentence) for part, sentence in zip(parts, run, strict=True)
        ):
            return bool(parts)
    return any(
        fold_claim(start) + joint + fold_claim(end)
        == tokens[: len(start + joint)] + fold_claim(tokens[len(start + joint) :])
        for left, right in pairwise(sentences)
        for start in left.forms
        for end in right.forms
        for joint in (("and",), (PAUSE, "and"), (PAUSE,))
        if len(start) + len(joint) + len(end) == len(tokens)
    )


def _is_same_sentence(tokens: Tokens, sentence: _PageSentence) -> bool:
    # A claim may add a linking phrase, but not put one in the place of another.
    return tokens in sentence.forms or (
        bool(sentence.forms) and _drop_links(tokens, _LINKING_PATTERN) == sentence.tokens
    )


def _is_retracted(context: QuoteContext) -> bool:
    """Tell whether the next sentence, the line above or the heading denies the sentence."""
    after, before = context.after, context.before
    return (
        len(after) < _MAX_RETRACTION_CHARS
        and _POINTING_BACK_PATTERN.match(after) is not None
        and _RETRACTION_PATTERN.search(after) is not None
    ) or any(
        _RETRACTION_PATTERN.search(text[-_MAX_SENTENCE_CHARS:]) is not None
        for text in (context.heading, before if before.endswith(":") else "")
    )


def _claim_faults(
    claim: str,
    tokens: Tokens,
    sentences: Sequence[_PageSentence],
    contexts: Sequence[QuoteContext],
    passage: str,
) -> Iterator[ClaimFault]:
    is_question = "?" not in tokens and any(sentence.has_question_mark for sentence in sentences)
    if is_question and not any(tokens in sentence.forms for sentence in sentences):
        yield "question"
    page_tokens = [token for sentence in sentences for token in sentence.tokens]
    # The number of a list item is part of a quote, but of no sentence.
    quoted = [token for context in contexts for token in sentence_tokens(context.quote)]
    page_figures = Counter(token_figures(page_tokens)) | Counter(token_figures(quoted))
    if Counter(filter(is_figure, tokens)) - page_figures:
        yield "figure"
    if _has_strange_name(claim, passage, sentences):
        yield "name"
    if _has_other_negation(tokens, sentences):
        yield "negation"


def _has_strange_name(claim: str, passage: str, sentences: Sequence[_PageSentence]) -> bool:
    """Tell whether a name inside the claim is neither in the sentences nor in the passage."""
    around = " ".join((passage, *(sentence.text for sentence in sentences)))
    if len(_GERMAN_PATTERN.findall(around[:_MAX_SENTENCE_CHARS])) > 1:
        return False
    words = {word.casefold() for word in _LETTERS_PATTERN.findall(around)}
    names = {
        word.casefold()
        for name in _NAME_PATTERN.findall(claim)
        if name[0].isupper()
        for word in _LETTERS_PATTERN.findall(name)
    }
    return any(name not in words and name.removesuffix("s") not in words for name in names)


def _has_other_negation(tokens: Tokens, sentences: Sequence[_PageSentence]) -> bool:
    if _count_negations(tokens) > sum(_count_negations(page.tokens) for page in sentences):
        return True
    if not sentences:
        return False
    best = _closest_sentence(tokens, sentences).tokens
    changes = SequenceMatcher(None, best, tokens, autojunk=False).get_opcodes()
    last_equal = max((end for kind, _, end, _, _ in changes if kind == "equal"), default=0)
    # A cut after the claim's last word removes no negation from the claim.
    removed = sum(
        _count_negations(best[start:end]) - _count_negations(tokens[first:last])
        for kind, start, end, first, last in changes
        if kind != "equal"
        and start < last_equal
        and (
            end - start < _MAX_CUT_NEGATION_TOKENS
            or (start == 0 and end <= _MAX_CUT_OPENING_TOKENS)
        )
    )
    return removed > 0


def _count_negations(tokens: Tokens) -> int:
    return sum(_NEGATION_PATTERN.fullmatch(token) is not None for token in tokens)


def _shared_words(claim: str, sentences: Sequence[str]) -> float:
    """Return the share of the claim's longer words that the sentences have, by their stems."""
    words = [
        word
        for word in lower_words(claim)
        if len(word) >= _MIN_WORD_CHARS or word[0].isdigit() or not word.isascii()
    ] or list(lower_words(claim))
    stems = {
        _fold_word(word) for text in sentences for word in lower_words(text[:_MAX_SENTENCE_CHARS])
    }
    return sum(_fold_word(word) in stems for word in words) / len(words) if words else 0.0


def _fold_word(word: str) -> str:
    return word[:_STEM_CHARS] if len(word) > _STEM_CHARS else word.rstrip("se") or word


def _closest_sentence(tokens: Tokens, sentences: Sequence[_PageSentence]) -> _PageSentence:
    return max(sentences, key=lambda sentence: _common_tokens(sentence.tokens, tokens))


def _common_tokens(first: Tokens, second: Tokens) -> int:
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def _word_changes(sentence: Tokens, claim: Tokens) -> Iterator[tuple[str, str]]:
    """Yield what the sentence has and what the claim has instead."""
    changes = SequenceMatcher(None, sentence, claim, autojunk=False).get_opcodes()
    for kind, start, end, first, last in changes:
        if kind != "equal":
            yield _plain_tokens(sentence[start:end]), _plain_tokens(claim[first:last])


def _plain_tokens(tokens: Tokens) -> str:
    return " ".join(token[1:] if is_figure(token) else token for token in tokens)


def combine_verdicts(word_support: Support, score: float, judge_name: str) -> Support:
    """Combine the lexical verdict with a judge's; the judge cannot overrule a refusal."""
    if word_support.verdict == "refused":
        return word_support
    if score >= _MIN_SUPPORTED_SCORE:
        return replace(word_support, verdict="supported", by=judge_name, score=score)
    if score < _MIN_WEAK_SCORE:
        faults: tuple[ClaimFault, ...] = ("judged",)
        return replace(word_support, verdict="refused", by=judge_name, faults=faults, score=score)
    return replace(word_support, verdict="weak", by=judge_name, score=score)
