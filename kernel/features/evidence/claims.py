"""Judge what of a page may be shown as supported. All of the judgement is in this file.

A claim is a range of a page: neighbouring whole sentences of one paragraph, items of one list, rows
of one table, or one piece of code. ``make_claims`` prints that range, and states the frame that it
stands in. So nothing that a model writes can be in a claim: a model only chooses by its quote, and
its own words are kept beside it as ``paraphrase``.

No claim is made of a heading, a question, a text that is too long, or one beside orders to models.
Where a block ends says ``page_view``, where a sentence ends ``sentences``, how both are printed
``printing``.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from types import MappingProxyType

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.evidence import Claim, ClaimKind, Frame, Paraphrase, SourcePage

from . import page_numbers
from .page_view import CLAIM_BLOCKS, PageView
from .passages import block_around, has_orders
from .printing import model_text, print_code, print_text
from .quotes import QuoteSpan
from .sentences import is_question

MAX_CLAIM_CHARS = 2000
MAX_CLAIM_BLOCKS = 3
MAX_FRAME_CHARS = 600
_KINDS: Mapping[str, ClaimKind] = MappingProxyType(
    {"paragraph": "sentences", "item": "items", "row": "rows", "code": "code"}
)
# All forms of a quotation mark are one. Double and single stay apart, because 5" is not 5'.
_MARKS = dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d", '"')
_MARKS |= dict.fromkeys("\u2018\u2019\u201a\u2039\u203a`", "'")
_ONE_MARK = str.maketrans(_MARKS)
_MAX_DIFFERENCES = 12
HEADING_MARK = "# "
COLONS = (":", "\uff1a")


def make_claims(
    view: PageView,
    pages: Sequence[SourcePage],
    page: int,
    chosen: QuoteSpan,
    *,
    moved: bool = False,
) -> Result[tuple[Claim, ...], str]:
    """Return the claims that a stretch of a page touches, one for each block, or why not."""
    touched = [
        index
        for index in view.touched_blocks(chosen.start, chosen.end)
        if view.blocks[index].kind in CLAIM_BLOCKS
    ]
    runs = [list(run) for _, run in groupby(touched, key=lambda index: view.blocks[index].run)]
    intros = {view.blocks[index].intro for index in touched}
    # The line above a list is in the frame of its items.
    runs = [run for run in runs if not intros.intersection(run)] or runs
    if not runs:
        return Failure("it quotes no sentence, item or row of the page")
    if len(runs) > MAX_CLAIM_BLOCKS:
        return Failure(f"its quote runs over more than {MAX_CLAIM_BLOCKS} paragraphs")
    claims = [_make_run_claim(view, pages[page], run, chosen) for run in runs]
    refused = next((claim.failure() for claim in claims if isinstance(claim, Failure)), None)
    if refused is not None:
        return Failure(refused)
    number = page_numbers.page_number(page_numbers.find_page_marks(view.text), chosen.start)
    place = {"page": page, "page_number": number, "moved": moved}
    return Success(tuple(replace(claim.unwrap(), **place) for claim in claims))


def _make_run_claim(
    view: PageView, source: SourcePage, run: list[int], chosen: QuoteSpan
) -> Result[Claim, str]:
    units = [
        (index, start, end)
        for index in run
        for start, end in view.units(index)
        if end > chosen.start and start < chosen.end
    ]
    if not units:
        return Failure("it quotes no sentence, item or row of the page")
    texts = [view.print_range(view.blocks[index], *span) for index, *span in units]
    # Two items are no sentence, as "Do not" and "take it".
    text = (" " if view.blocks[run[0]].kind == "paragraph" else " / ").join(texts)
    start, end = units[0][1], units[-1][2]
    if len(text) > MAX_CLAIM_CHARS:
        return Failure(f"what it quotes is longer than {MAX_CLAIM_CHARS} characters")
    if not any(map(str.isalnum, text)):
        return Failure("it quotes no word of the page")
    if all(map(is_question, texts)):
        return Failure("the page asks this, and does not say it")
    if has_orders(block_around(source.text, start, end)):
        return Failure("the page gives orders to models where it is quoted")
    return Success(
        Claim(
            text=text,
            kind=_KINDS[view.blocks[run[0]].kind],
            start=start,
            end=end,
            page=0,
            frame=_make_frame(view, source, units[0], units[-1]),
            sha256=source.sha256,
            read_on=source.read_on,
        )
    )


def _make_frame(
    view: PageView, source: SourcePage, first: tuple[int, int, int], last: tuple[int, int, int]
) -> Frame:
    """Return what stands around the sentences, items or rows from ``first`` to ``last``."""
    block = view.blocks[first[0]]
    intro = _bound(_intro(view, first))
    is_table = block.kind == "row"
    return Frame(
        url=source.final_url,
        title=print_code(source.title),
        headings=block.headings,
        intro="" if is_table else intro,
        parents=tuple(_bound(view.print_block(index)) for index in block.parents),
        caption=intro if is_table else "",
        header=block.header,
        section=block.section,
        before=_bound(_neighbour(view, first, step=-1), keep_end=True),
        after=_bound(_neighbour(view, last, step=1)),
    )


def _intro(view: PageView, unit: tuple[int, int, int]) -> str:
    """Return the line that introduces a unit: above its block, or in it a line with a colon."""
    index, start, _ = unit
    block = view.blocks[index]
    if block.kind == "paragraph":
        # The last of these is the line that the sentence begins in.
        *lines, _ = view.text[block.start : start + 1].split("\n")
        introducing = [line for line in lines if line.rstrip().endswith(COLONS)]
        if introducing:
            return print_text(introducing[-1])
    return "" if block.intro is None else view.print_block(block.intro)


def _bound(text: str, *, keep_end: bool = False) -> str:
    """Return a text of the frame, bounded; of the sentence before, the end stands nearest."""
    if len(text) <= MAX_FRAME_CHARS:
        return text
    return f"\u2026{text[-MAX_FRAME_CHARS:]}" if keep_end else f"{text[:MAX_FRAME_CHARS]}\u2026"


def _neighbour(view: PageView, unit: tuple[int, int, int], *, step: int) -> str:
    """Return the sentence, item or row before a unit (``step`` -1), or behind it (1)."""
    index, start, end = unit
    run = view.blocks[index].run
    spans = list(view.units(index))
    number = spans.index((start, end)) + step
    if not 0 <= number < len(spans):
        index += step
        if not 0 <= index < len(view.blocks):
            return ""
        beside = view.blocks[index]
        if step > 0 and beside.kind == "heading":
            # It begins something else, so it is told from a sentence.
            return f"{HEADING_MARK}{view.print_block(index)}"
        is_of_run = beside.run == run and beside.kind != "header"
        if step < 0 and beside.kind != "paragraph" and not is_of_run:
            # Headings and the names of columns are in the frame already.
            return ""
        spans = list(view.units(index))
        number = 0 if step > 0 else -1
    return view.print_range(view.blocks[index], *spans[number]) if spans else ""


def compare_words(written: str, text: str) -> Paraphrase:
    """Return a model's own wording of a claim, and whether it is the page's text.

    It is ``same`` after blanks, quotation marks and the case of the first letter, and ``differs``
    otherwise: there is no third verdict to get wrong.
    """
    plain = model_text(written, MAX_CLAIM_CHARS)
    if _comparable(print_text(written)) == _comparable(text):
        return Paraphrase(text=plain, verdict="same")
    return Paraphrase(text=plain, verdict="differs", differences=tuple(_differences(text, plain)))


def _comparable(text: str) -> str:
    bare = " ".join(text.translate(_ONE_MARK).split())
    return bare[:1].lower() + bare[1:]


def _differences(page: str, model: str) -> Iterator[tuple[str, str]]:
    """Yield the words that the page has, and those that the model has instead."""
    ours, theirs = (_comparable(text).split() for text in (page, model))
    changes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    pairs = [
        (" ".join(ours[start:end]), " ".join(theirs[first:last]))
        for kind, start, end, first, last in changes
        if kind != "equal"
    ]
    yield from pairs[:_MAX_DIFFERENCES]
