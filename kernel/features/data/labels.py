"""The labels of a page: a definition list, a table of two columns, "Label: value".

They are a witness, and the checker asks them whether a common value stands beside its label.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from webseam.ports.data import DataField, Quote

from .linked_data import Candidate
from .page_index import PageIndex, has_words
from .plain_values import parse_text
from .text_forms import squeeze
from .vocabulary import LABEL_FILLERS

SOURCE: Final = "labels"
_MAX_LABEL_CHARS: Final = 40
_MAX_LABEL_WORDS: Final = 5
_MAX_VALUE_CHARS: Final = 200
_NEAR_CHARS: Final = 60
_STEM_ENDING_NAMES: Final = """
s n e en er nummer nr no number code id
"""
_STEM_ENDINGS: Final = frozenset(_STEM_ENDING_NAMES.split())
_COLON_PATTERN: Final = re.compile(r"[:：]\s*")
_WORD_PATTERN: Final = re.compile(r"[^\s:：()/]+")
_FIGURE_KINDS: Final = frozenset({"number", "duration", "day", "moment", "money"})
_PAIR: Final = 2


def page_labels(index: PageIndex) -> list[tuple[str, Quote]]:
    """Return each label of the page with the words that it is the label of."""
    return [*_box_labels(index), *_line_labels(index)]


def label_candidates(
    index: PageIndex, field: DataField, labels: list[tuple[str, Quote]]
) -> Iterator[Candidate]:
    """Yield the values that stand beside a label of the field."""
    # "Rating" is the label of a grade and of a number of votes.
    if field.role == "heading":
        yield from _named_headings(index)
        return
    if field.many or field.kind == "money" or _is_vote(field):
        return
    for label, words in labels:
        if not is_label_of(field, label) or is_label_of(field, words.text):
            continue
        if index.is_in_menu(words):
            continue
        plain = _read_words(index, field, words)
        if plain is not None:
            yield Candidate(plain, f"label {label.strip()}")


def _named_headings(index: PageIndex) -> Iterator[Candidate]:
    """Yield the only top heading of the page, if the title of the page names it."""
    named = squeeze(f"{index.page.title} {index.page.metas.get('og:title', '')}")
    tops = [top for top in index.top_headings if squeeze(top.text) in named]
    if len(tops) == 1 and "\n" not in tops[0].text:
        yield Candidate(tops[0].text, "h1")


def _is_vote(field: DataField) -> bool:
    return any(path.startswith("aggregateRating") for path in field.paths)


def _read_words(index: PageIndex, field: DataField, words: Quote) -> str | None:
    """Return the plain value of the words beside a label; None where they are not just one."""
    if field.kind in {"day", "moment"}:
        days = [it for it in index.page.days if words.start <= it.start and it.end <= words.end]
        is_clear = len(days) == 1 and len(days[0].days) == 1 and field.kind == "day"
        return next(iter(days[0].days)).isoformat() if is_clear else None
    if field.kind in {"number", "duration"}:
        kind = field.kind
        found = [it for it in index.readings(kind) if words.start <= it.start < words.end]
        if len(found) != 1 or len(found[0].values) != 1:
            return None
        return parse_text(field, index.text[found[0].start : found[0].end])
    return parse_text(field, words.text)


def is_label_of(field: DataField, text: str) -> bool:
    """Tell whether a text is a label of a field and nothing more."""
    words = _WORD_PATTERN.findall(text.casefold())
    if not 0 < len(words) <= _MAX_LABEL_WORDS:
        return False
    bare = squeeze(text).strip(":.：")
    phrases = [label for label in field.labels if " " in label]
    if any(squeeze(phrase).strip(":.") == bare for phrase in phrases):
        return True
    stems = [label for label in field.labels if " " not in label]
    is_figure = field.kind in _FIGURE_KINDS
    own = [word for word in words if _begins(word, stems, is_figure=is_figure)]
    return bool(own) and all(word in own or word in LABEL_FILLERS for word in words)


def _begins(word: str, stems: list[str], *, is_figure: bool) -> bool:
    for stem in stems:
        # "art" is a label of articles in a shop, "artist" is none. A duration has no such twins.
        if word.rstrip(".") == stem:
            return True
        if word.startswith(stem):
            rest = word[len(stem) :].strip(".-")
            if is_figure or rest in _STEM_ENDINGS:
                return True
    return False


def has_label(index: PageIndex, field: DataField, quote: Quote) -> bool:
    """Tell whether a label of the field stands in the line of a quote, or in a line beside it."""
    pattern = _stem_pattern(field.labels)
    before, after = index.rest_of_lines(quote)
    if pattern.search(before[-_NEAR_CHARS:]) or pattern.search(after[:_NEAR_CHARS]):
        return True
    if any(map(str.isalpha, before)):
        return False
    beside = (index.line_before(quote.start), index.line_after(max(quote.start, quote.end - 1)))
    return any(len(line.text) <= _NEAR_CHARS and pattern.search(line.text) for line in beside)


@lru_cache(maxsize=256)
def _stem_pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    stems = "|".join(re.escape(label) for label in labels)
    return re.compile(rf"(?<![^\W\d_])(?:{stems})", re.IGNORECASE)


def _box_labels(index: PageIndex) -> Iterator[tuple[str, Quote]]:
    """Yield the pairs of definition lists, of tables with two columns, and of boxes with two."""
    for number, box in enumerate(index.page.boxes):
        if box.tag in {"dl", "tr"} or box.end - box.start <= _MAX_LABEL_CHARS + _MAX_VALUE_CHARS:
            inner = [index.page.boxes[it] for it in index.children(number)]
            parts = [it for it in inner if it.end > it.start]
            if box.tag == "dl":
                for one, other in pairwise(parts):
                    if one.tag == "dt" and other.tag == "dd":
                        yield from _pair(index, (one.start, one.end), (other.start, other.end))
            elif len(parts) == _PAIR:
                first, second = parts
                around = index.text[box.start : first.start] + index.text[second.end : box.end]
                between = index.text[first.end : second.start]
                if not has_words(around) and not has_words(between):
                    yield from _pair(index, (first.start, first.end), (second.start, second.end))


def _line_labels(index: PageIndex) -> Iterator[tuple[str, Quote]]:
    start = 0
    for line in index.text.split("\n"):
        match = _COLON_PATTERN.search(line, 0, _MAX_LABEL_CHARS + 2)
        if match is not None:
            value = (start + match.end(), start + len(line.rstrip()))
            yield from _pair(index, (start, start + match.start()), value)
        start += len(line) + 1


def _pair(
    index: PageIndex, label: tuple[int, int], value: tuple[int, int]
) -> Iterator[tuple[str, Quote]]:
    name, words = index.text[slice(*label)], index.quote(*value)
    is_short = 0 < len(name) <= _MAX_LABEL_CHARS and 0 < len(words.text) <= _MAX_VALUE_CHARS
    if is_short and "\n" not in name and has_words(words.text):
        yield name, words
