"""Save an answer in a file, and make all of it again from the pages in the file.

The seal shows accidents alone: whoever can alter the file can seal it again. What stands in the
pages is made again and compared; what does not (the question, titles and days of the pages, claims
that were dropped, a model's own words) is held by the seal only.
"""

import json
from collections.abc import Iterator, Mapping

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidDocument
from webseam.ports.evidence import AskOutcome, Claim, SourcePage

from ...boundary import attempt_call
from ...text.display import one_line, quote_value
from .claims import compare_words, make_claims
from .extracts import missing_words
from .gathering import text_hash
from .page_numbers import find_page_marks, page_number
from .page_view import PageView, view_page
from .printing import RULES_VERSION
from .quotes import QuoteSpan
from .rendering import Answer

RECORD_FORMAT = 2
_FORMAT_FIELD, _RULES_FIELD, _SEAL_FIELD = "webseam_answer", "rules", "seal"
_OUTCOME_FIELD = "outcome"
# How much of a text is shown before the place where two texts differ.
_SHOWN_CHARS_BEFORE = 20


class SavedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was read: ``version`` is its format; an older one has no ``outcome``."""

    version: int
    document: Mapping[str, object]
    pages: tuple[SourcePage, ...]
    outcome: Answer | None = None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says otherwise than its pages, and where."""

    path: str
    problem: str


def write_record(outcome: AskOutcome) -> bytes:
    """Encode an answer as the contents of a file."""
    document = {
        _FORMAT_FIELD: RECORD_FORMAT,
        _RULES_FIELD: RULES_VERSION,
        _OUTCOME_FIELD: msgspec.to_builtins(Answer(**msgspec.structs.asdict(outcome))),
    }
    sealed = {**document, _SEAL_FIELD: _seal(document)}
    return msgspec.json.format(msgspec.json.encode(sealed)) + b"\n"


def _seal(document: Mapping[str, object]) -> str:
    """Return a hash over all that a file says, pages too, in one order of its names."""
    content = {name: value for name, value in document.items() if name != _SEAL_FIELD}
    return text_hash(msgspec.json.encode(content, order="sorted").decode())


def _refuse_doubled_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object; of a doubled name one reader shows the first value, another the last."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError
    return fields


class _OlderOutcome(msgspec.Struct, frozen=True):
    pages: tuple[SourcePage, ...]


def read_record(data: bytes) -> Result[SavedAnswer, InvalidDocument]:
    """Decode a saved answer, or return why it is invalid; one of the older version is read, too."""
    document = attempt_call(lambda: json.loads(data, object_pairs_hook=_refuse_doubled_names))
    fields = attempt_call(lambda: msgspec.convert(document.unwrap(), dict[str, object])).value_or(
        {}
    )
    version, outcome = fields.get(_FORMAT_FIELD), fields.get(_OUTCOME_FIELD)
    if version == RECORD_FORMAT:
        answer = attempt_call(lambda: msgspec.convert(outcome, Answer)).value_or(None)
        if answer is not None:
            saved = SavedAnswer(
                version=RECORD_FORMAT, document=fields, pages=answer.pages, outcome=answer
            )
            return Success(saved)
    elif version == 1:
        older = attempt_call(lambda: msgspec.convert(outcome, _OlderOutcome)).value_or(None)
        if older is not None:
            return Success(SavedAnswer(version=1, document=fields, pages=older.pages))
    reason = "this is no answer that webseam saved"
    return Failure(InvalidDocument(field="file", reason=reason, backend="the file"))


def verify_record(saved: SavedAnswer) -> tuple[Difference, ...]:
    """Make an answer again from its pages; return every difference."""
    views = tuple(view_page(page.text) for page in saved.pages)
    return tuple(_differences(saved, views))


def _differences(saved: SavedAnswer, views: tuple[PageView, ...]) -> Iterator[Difference]:
    for number, page in enumerate(saved.pages):
        if page.sha256 != text_hash(page.text):
            problem = "the text is not the one that was read: its hash differs"
            yield Difference(path=f"outcome.pages[{number}]", problem=problem)
    if saved.outcome is None:
        yield from _older_differences(saved, views)
        return
    outcome = saved.outcome
    if saved.document.get(_SEAL_FIELD) != _seal(saved.document):
        yield Difference(path=_SEAL_FIELD, problem="the file was altered after it was sealed")
    if not outcome.claims:
        yield Difference(path="outcome.claims", problem="there is none")
    for number, claim in enumerate(outcome.claims):
        path = f"outcome.claims[{number}]"
        made = _make_again(saved.pages, views, claim)
        if isinstance(made, Failure):
            yield Difference(path=path, problem=made.failure())
        else:
            yield from _compare(_plain(claim), _plain(made.unwrap()), path)
    for name in saved.document:
        if name not in (_FORMAT_FIELD, _RULES_FIELD, _OUTCOME_FIELD, _SEAL_FIELD):
            yield Difference(path=one_line(name), problem="webseam writes nothing of this name")
    yield from _compare(saved.document.get(_RULES_FIELD), RULES_VERSION, _RULES_FIELD)
    stated = _plain(outcome)
    yield from _compare(saved.document.get(_OUTCOME_FIELD), stated, _OUTCOME_FIELD)
    yield from _compare(stated, {**stated, **_facts(outcome)}, _OUTCOME_FIELD)


def _plain(value: msgspec.Struct) -> dict[str, object]:
    """Return a struct as the file has it."""
    fields: dict[str, object] = msgspec.json.decode(msgspec.json.encode(value))
    return fields


def _compare(stated: object, made: object, path: str) -> Iterator[Difference]:
    """Yield each place where a JSON value of the file is not the one that was made again."""
    if isinstance(stated, dict) and isinstance(made, dict):
        for name in {**stated, **made}:
            yield from _compare(stated.get(name), made.get(name), f"{path}.{name}")
    elif isinstance(stated, list) and isinstance(made, list) and len(stated) == len(made):
        for number, pair in enumerate(zip(stated, made, strict=True)):
            yield from _compare(*pair, f"{path}[{number}]")
    elif stated != made:
        said, says = _differing_parts(stated, made)
        yield Difference(path=path, problem=f"the file says {said}, and its pages {says}")


def _shared_chars(first: str, second: str) -> int:
    """Return how many characters two texts begin with in common."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def _quote_json(value: object) -> str:
    return quote_value(value if isinstance(value, str | float) else str(value))


def _differing_parts(stated: object, made: object) -> tuple[str, str]:
    """Return two values that differ, quoted; long texts from shortly before the difference."""
    if not isinstance(stated, str) or not isinstance(made, str):
        return _quote_json(stated), _quote_json(made)
    start = max(0, _shared_chars(stated, made) - _SHOWN_CHARS_BEFORE)
    return quote_value(stated[start:]), quote_value(made[start:])


def _older_differences(saved: SavedAnswer, views: tuple[PageView, ...]) -> Iterator[Difference]:
    """Yield what an answer of the first version shows that is not its pages' text.

    Its claims could be in a model's words, so each is compared with what its quotes choose.
    """
    older = attempt_call(lambda: msgspec.convert(saved.document[_OUTCOME_FIELD], _OlderClaims))
    if isinstance(older, Failure):
        yield Difference(path="outcome.claims", problem="they cannot be read")
        return
    for number, claim in enumerate(older.unwrap().claims):
        texts: list[str] = []
        for quote in claim.quotes:
            made = _make_pieces(saved.pages, views, quote.page, quote.start, quote.end)
            texts += [piece.text for piece in made.value_or(())]
        if claim.text not in texts:
            problem = "the claim is not what its quotes choose on the page"
            yield Difference(path=f"outcome.claims[{number}]", problem=problem)


class _OlderQuote(msgspec.Struct, frozen=True):
    page: int
    start: int
    end: int


class _OlderClaim(msgspec.Struct, frozen=True):
    text: str
    quotes: tuple[_OlderQuote, ...]


class _OlderClaims(msgspec.Struct, frozen=True):
    claims: tuple[_OlderClaim, ...]


def _make_again(
    pages: tuple[SourcePage, ...], views: tuple[PageView, ...], claim: Claim
) -> Result[Claim, str]:
    pieces = _make_pieces(pages, views, claim.page, claim.start, claim.end, moved=claim.moved)
    if isinstance(pieces, Failure):
        return pieces
    if len(pieces.unwrap()) != 1:
        return Failure("its place is more than one paragraph, list or table")
    (again,) = pieces.unwrap()
    if claim.paraphrase is None:
        return Success(again)
    paraphrase = compare_words(claim.paraphrase.text, again.text)
    return Success(msgspec.structs.replace(again, paraphrase=paraphrase))


def _make_pieces(
    pages: tuple[SourcePage, ...],
    views: tuple[PageView, ...],
    page: int,
    start: int,
    end: int,
    *,
    moved: bool = False,
) -> Result[tuple[Claim, ...], str]:
    if not 0 <= page < len(pages):
        return Failure("its page is not in the file")
    if not 0 <= start < end <= len(pages[page].text):
        return Failure("its place is not in the page")
    return make_claims(views[page], pages, page, QuoteSpan(start, end), moved=moved)


def _facts(outcome: AskOutcome) -> dict[str, object]:
    """Return what follows from the rest of an answer."""
    texts = [text for claim in outcome.claims for text in (claim.text, *claim.frame.headings)]
    marks = [find_page_marks(page.text) for page in outcome.pages]
    passages = [
        msgspec.structs.replace(it, page_number=page_number(marks[it.page], it.start))
        for it in outcome.passages
        if 0 <= it.page < len(marks)
    ]
    receipt = msgspec.structs.replace(
        outcome.receipt, rules=RULES_VERSION, passages=len(outcome.passages)
    )
    return {
        "missing": ", ".join(missing_words(outcome.question, texts)),
        "passages": [_plain(passage) for passage in passages],
        "receipt": _plain(receipt),
    }
