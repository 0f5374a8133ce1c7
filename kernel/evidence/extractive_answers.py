"""An answer without a model: the sentences of the pages that have to do with the question."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from .answer_prompts import SaidAnswer, SaidClaim, SaidQuote
from .checking import SourceShelf
from .passages import find_sentences, score_relevance
from .quotation.normalisation import normalise_text, readable_text
from .support.content_words import claim_stem, content_words

MAX_SENTENCES = 5
SHORTEST, LONGEST = 40, 300
MAX_PER_HOST = 2
_ALIKE = 0.7


def extract_answer(question: str, shelf: SourceShelf) -> SaidAnswer:
    """Return the best sentences as claims that quote themselves; none that ask, none twice."""
    candidates = list(dict.fromkeys(_candidates(shelf)))
    scores = score_relevance(question, [sentence for _, _, sentence, _ in candidates])
    question_stems = frozenset(map(claim_stem, content_words(question)))
    ranked = sorted(range(len(candidates)), key=lambda at: (-scores[at], at))
    chosen: list[SaidClaim] = []
    hosts: Counter[str] = Counter()
    seen: list[frozenset[str]] = []
    for at in ranked:
        passage, host, sentence, shown = candidates[at]
        words = frozenset(map(claim_stem, content_words(sentence)))
        if (
            not _fits(words & question_stems, question_stems)
            or hosts[host] >= MAX_PER_HOST
            or _known(words, seen)
        ):
            continue
        chosen.append(SaidClaim(quotes=(SaidQuote(passage, sentence),), claim=shown))
        hosts[host] += 1
        seen.append(words)
    # Twice as many as are shown: some may not stand their check.
    return SaidAnswer(claims=tuple(chosen[: 2 * MAX_SENTENCES]))


def _fits(shared: frozenset[str], question_stems: frozenset[str]) -> bool:
    """Tell whether a sentence has enough of the question's words; one of many is chance."""
    return len(shared) >= min(2, len(question_stems)) > 0


def _known(words: frozenset[str], seen: Sequence[frozenset[str]]) -> bool:
    return any(len(words & other) > _ALIKE * min(len(words), len(other)) for other in seen)


def _candidates(shelf: SourceShelf) -> list[tuple[str, str, str, str]]:
    """Return sentences: the passage and the host of each, to be quoted, and to be read."""
    candidates = []
    for passage in shelf.passages:
        page = shelf.pages[passage.page]
        host = urlsplit(page.final_url).netloc
        for stretch in find_sentences(page.text, passage.start, passage.end):
            written = page.text[stretch.start : stretch.end]
            sentence = normalise_text(written).text.strip()
            if SHORTEST <= len(sentence) <= LONGEST and not sentence.endswith("?"):
                candidates.append((passage.id, host, sentence, readable_text(written)))
    return candidates
