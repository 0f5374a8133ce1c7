"""From HTML to a ``ReadPage``, step by step."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Final, TypeAlias

import msgspec
from returns.result import Failure, Result, Success
from turbohtml import Document, Element, parse

from ....ports.errors import BlockedByRemote, EmptyContent, ParseFailed, WebError
from ....ports.pages import LeftOut, LeftOutKind, PageComment, PageImage, ReadPage
from ...pages.safe_text import one_line, removal_note
from .articles import is_advert
from .discussion.bylines import (
    AUTHOR_ATTRIBUTES,
    MAX_BYLINE_ELEMENTS,
    Byline,
    post_author,
    read_bylines,
)
from .discussion.comment_reading import read_comments
from .discussion.comments import (
    comment_boxes,
    drop_comment_signs,
    drop_comments,
    dropped_comment_words,
    post_boxes,
)
from .features.page_features import KINDS, MeasuredPage, OpenedPage, measure_opened, open_document
from .features.signs import RELATED
from .html_parsing import parse_page
from .metadata import Metadata, PageHead, read_metadata
from .page_segments import MAX_RUNS, PageSegments, TextRun, TooManyBlocksError, prune_to_runs
from .rendering.images import take_images
from .rendering.markdown import render_markdown, tidy_tree
from .run_choice import choose_runs, is_article
from .scores import score_page
from .structured_data.embedded_data import embedded_page
from .structured_data.facts import read_facts
from .verdicts import PageSigns, judge_page
from .visibility.pruning import prune_hidden


def keep_post_authors(segments: PageSegments, numbers: Sequence[int], kept: list[bool]) -> None:
    """Keep the line with the name of who wrote it in each post of which anything is kept."""
    for number in numbers:
        box = segments.boxes[number]
        if True in kept[box.first : box.last]:
            name = _poster(box.node)
            lines = range(box.first, box.last) if name else ()
            place = next((place for place in lines if segments.runs[place].text == name), None)
            if place is not None:
                kept[place] = True


def _poster(post: Element) -> str:
    said = next((name for mark in AUTHOR_ATTRIBUTES if (name := post.attr(mark))), "")
    return said or post_author(lambda selector: post.select(selector)[:MAX_BYLINE_ELEMENTS])


# Make a very large page fit: what its scripts carry goes first, then the end of it.

MAX_HTML_CHARS: Final = 4_000_000
_ENDS: Final = re.compile(r"</script", re.IGNORECASE)
_BEGINS: Final = re.compile(r"<script\b", re.IGNORECASE)
_LINKED: Final = re.compile(r"ld\+json", re.IGNORECASE)
_MIN_DROPPED_SCRIPT_CHARS: Final = 20_000
_MAX_SCRIPTS: Final = 10_000


def fit_page(html: str | bytes) -> tuple[str | bytes, str | None]:
    """Return a page as far as it is read, and what to say of the rest.

    >>> fit_page("<p>short")
    ('<p>short', None)
    """
    if len(html) <= MAX_HTML_CHARS:
        return html, None
    # Bytes as they are, one character each, and back again.
    text = html.decode("latin-1") if isinstance(html, bytes) else html
    lean = _without_data(text)
    cut = lean[:MAX_HTML_CHARS]
    note = (
        f"truncated: only the first {MAX_HTML_CHARS} characters were read"
        if len(cut) < len(lean)
        else "read without what its large scripts carry: the page is too large"
    )
    return (cut.encode("latin-1") if isinstance(html, bytes) else cut), note


def _without_data(html: str) -> str:
    """Return a page without the text of its large scripts, but for linked data."""
    *pieces, rest = _split(html)
    return "".join(map(_without_script, pieces)) + rest


def _without_script(piece: str) -> str:
    begin = _BEGINS.search(piece)
    end = piece.find(">", begin.end()) + 1 if begin is not None else 0
    if begin is None or not end or len(piece) - end <= _MIN_DROPPED_SCRIPT_CHARS:
        return piece
    return piece if _LINKED.search(piece, begin.end(), end) else piece[:end]


def _split(html: str) -> list[str]:
    """Split a page before the end of each script: at most one begins in a piece, but the last."""
    ends = islice(_ENDS.finditer(html), _MAX_SCRIPTS)
    places = [0, *(end.start() for end in ends), len(html)]
    return [html[start:end] for start, end in pairwise(places)]


# What a page tells of its product in data alone, where little of it can be read.

_PRODUCTS: Final = frozenset({"IndividualProduct", "Product", "ProductGroup", "ProductModel"})
_MIN_DESCRIPTION_WORDS: Final = 20
_OF_WHAT_IS_READ: Final = 0.5
_KNOWN: Final = 0.4
_MAX_DESCRIPTION_CHARS: Final = 20_000
_MARKUP: Final = re.compile(r"</?[a-zA-Z]")
_PRODUCT_DESCRIPTION_WORD: Final = re.compile(r"\w+")


def product_description(head: PageHead, content: str, base: str) -> str:
    """Return the description of the page's product as markdown; nothing where it adds nothing."""
    told = [
        text
        for thing in head.things
        if _is_product(thing.get("@type")) and isinstance(text := thing.get("description"), str)
    ]
    longest = max(told, key=len, default="")
    if not longest:
        return ""
    description = _markdown(longest[:_MAX_DESCRIPTION_CHARS], base)
    words, read = (
        _PRODUCT_DESCRIPTION_WORD.findall(description.lower()),
        _PRODUCT_DESCRIPTION_WORD.findall(content.lower()),
    )
    own = set(words)
    is_long = len(words) >= max(_MIN_DESCRIPTION_WORDS, _OF_WHAT_IS_READ * len(read))
    return description if is_long and len(own.intersection(read)) <= _KNOWN * len(own) else ""


def _is_product(kind: object) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    return any(isinstance(one, str) and one.rpartition("/")[2] in _PRODUCTS for one in kinds)


def _markdown(text: str, base: str) -> str:
    """Return a text as markdown; often it is HTML, and as often escaped once more."""
    plain = html.unescape(text)
    if not _MARKUP.search(plain):
        plain = "".join(f"<p>{html.escape(line)}</p>" for line in plain.splitlines())
    pruned = prune_hidden(parse(plain, positions=False))
    if pruned is None:
        return ""
    tidy_tree(pruned.body, base)
    return render_markdown(pruned.body)[0]


# What a page's linked data calls an ingredient belongs to the page, whatever it looks like.

_WORD: Final = re.compile(r"\w+")
_RECIPES_TOLD: Final = "recipeIngredient"
_MAX_INGREDIENTS: Final = 200
_CERTAIN: Final = 0.9


def with_ingredients(
    things: Iterable[dict[str, object]], runs: Sequence[TextRun], chances: list[float]
) -> list[float]:
    """Return how likely each run is, where those that are an ingredient are nearly certain."""
    told = [named for thing in things if isinstance(named := thing.get(_RECIPES_TOLD), list)]
    names = {
        _plain(name) for named in told for name in named[:_MAX_INGREDIENTS] if isinstance(name, str)
    }
    names.discard("")
    if not names:
        return chances
    return [
        max(chance, _CERTAIN) if _plain(run.text) in names else chance
        for run, chance in zip(runs, chances, strict=True)
    ]


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


# From HTML to a ``ReadPage``, step by step.

_MAX_VERDICT_RUNS: Final = 100
_MUCH: Final = 150
_MUCH_OF_IT: Final = 0.15
_FORUM: Final = KINDS.index("forum")
# Blogs call what they list posts as well.
_MAYBE_FORUM: Final = 0.3


def read_html(
    html: str | bytes, url: str = "", *, content_type: str = "", comments: bool = False
) -> Result[ReadPage, WebError]:
    """Read a page, or say why there is nothing to read.

    ``url`` is where it came from, to make its links absolute. For bytes, ``content_type`` is the
    header it came with; it decides where a byte order mark or the bytes themselves do not, and
    after it what the page says.
    ``comments`` keeps what readers wrote under the page, beside its content.
    """
    if not html or html.isspace():
        return Failure(EmptyContent(reason="no_body", url=url or None))
    html, trimmed = fit_page(html)
    notes = [] if trimmed is None else [trimmed]
    document = parse_page(html, content_type)
    if document is None:
        return Failure(ParseFailed(reason="too_complex", url=url or None))
    bylines = read_bylines(document) if comments else None
    page = open_document(document)
    base = page.document.base_url(url)
    about = read_metadata(page.head, page.marks, base)
    content = _content(page, base, url, notes, bylines)
    refusal = judge_page(_signs(page, about, content))
    if refusal is not None:
        shell = parse_page(html, content_type) if _is_shell(refusal) else None
        carried = _embedded(shell, base, url)
        if carried is None:
            return Failure(msgspec.structs.replace(refusal, url=url or None))
        content, notes = carried, [_CARRIED]
    whole = _page(about, _described(page, content, base, notes), notes)
    return Success(msgspec.structs.replace(whole, facts=read_facts(page.head, page.items)))


_SHELLS: Final = frozenset({"needs_browser", "no_text"})
_CARRIED: Final = "read from data that the page carries for its script"
_TOLD: Final = "added the description that the page tells in its linked data"


def _described(
    page: OpenedPage, content: _ReadContent, base: str, notes: list[str]
) -> _ReadContent:
    description = product_description(page.head, content.content, base)
    if not description:
        return content
    notes.append(_TOLD)
    return msgspec.structs.replace(content, content=f"{content.content}\n\n{description}")


def _is_shell(refusal: EmptyContent | BlockedByRemote) -> bool:
    return isinstance(refusal, EmptyContent) and refusal.reason in _SHELLS


def _embedded(shell: Document | None, base: str, url: str) -> _ReadContent | None:
    """Read the page that the data of an empty shell gives; nothing where it gives none."""
    html = None if shell is None else embedded_page(shell)
    if html is None:
        return None
    page = open_document(parse(html, positions=False))
    content = _content(page, base, url, [])
    return content if content.content else None


# What was read of comments before the page was pruned; nothing where they are not wanted.
_Bylines: TypeAlias = dict[Element, Byline] | None


class _ReadContent(msgspec.Struct, frozen=True):
    content: str = ""
    kind: str | None = None
    links: int = 0
    text: str = ""
    words: int = 0
    best: float = 1.0
    comments: tuple[PageComment, ...] = ()
    images: tuple[PageImage, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def _content(
    page: OpenedPage, base: str, url: str, notes: list[str], bylines: _Bylines = None
) -> _ReadContent:
    if page.pruned is None:
        return _ReadContent()
    if page.pruned.hidden:
        notes.append(removal_note(page.pruned.hidden, "hidden part"))
    if page.pruned.waiting:
        notes.append("kept text that the page hides until its script has run")
    try:
        whole = measure_opened(page, url)
    except TooManyBlocksError:
        notes.append("not scored: the page is too large, so all of it was kept")
        whole_page = _rendered(page.pruned.body, base, notes)
        return msgspec.structs.replace(whole_page, words=MAX_RUNS)
    menus = page.pruned.menus
    if whole is None:
        return _ReadContent(left_out=_left_out({"menus": menus}))
    return _chosen(whole, base, notes, menus, bylines)


def _left_out(words: dict[LeftOutKind, int]) -> tuple[LeftOut, ...]:
    return tuple(LeftOut(kind=kind, words=count) for kind, count in words.items() if count)


def _chosen(
    whole: MeasuredPage, base: str, notes: list[str], menus: int, bylines: _Bylines
) -> _ReadContent:
    scored = score_page(whole)
    runs = whole.cut.runs
    related = _related(whole)
    likely = with_ingredients(whole.head.things, runs, scored.likely)
    choice = choose_runs(whole.cut, likely, scored.kinds, related)
    kept = choice.kept
    if choice.doubtful > _MUCH and choice.doubtful > _MUCH_OF_IT * whole.tallies.total_words:
        notes.append(f"left out about {choice.doubtful} words that may belong to the content")
    numbers = comment_boxes(whole.cut)
    # In a forum what readers wrote is the page.
    if scored.kind == "forum":
        keep_post_authors(whole.cut, post_boxes(whole.cut, numbers), kept)
    else:
        drop_comments(whole.cut, numbers, kept, article=is_article(scored.kinds))
        drop_comment_signs(whole.cut, numbers, whole.signs.scopes, kept)
    by_readers = dropped_comment_words(whole.cut, numbers, kept)
    rest = sum(run.words for run, keep in zip(runs, kept, strict=True) if not keep)
    # Before the tree is pruned: it takes out what is not kept.
    told: tuple[PageComment, ...] = ()
    if bylines is not None:
        maybe = scored.kinds[_FORUM] >= _MAYBE_FORUM
        talk = post_boxes(whole.cut, numbers) if maybe else numbers
        told = read_comments(whole.cut, whole.head, talk, bylines)
    root = prune_to_runs(whole.cut, kept)
    return msgspec.structs.replace(
        _rendered(root, base, notes),
        kind=scored.kind,
        text=" ".join(run.text for run in runs[:_MAX_VERDICT_RUNS]),
        words=whole.tallies.total_words,
        best=max(scored.likely),
        comments=told,
        left_out=_left_out(
            {
                "menus": menus,
                "unlikely": max(rest - choice.copies - by_readers, 0),
                "copies": choice.copies,
                "comments": by_readers,
            }
        ),
    )


def _related(whole: MeasuredPage) -> list[bool]:
    """Tell which runs stand under a heading that speaks of other pages.

    The mark of an advertisement amid an article speaks of no more than the advertisement.
    """
    runs = whole.cut.runs
    scopes = tuple(scope for scope in whole.signs.scopes if not is_advert(runs[scope.first]))
    signs = msgspec.structs.replace(whole.signs, scopes=scopes)
    return [sign is not None for sign in signs.under(RELATED)]


def _rendered(root: Element, base: str, notes: list[str]) -> _ReadContent:
    images = take_images(root, base)
    links = tidy_tree(root, base)
    content, removed = render_markdown(root)
    if removed:
        notes.append(removal_note(removed, "invisible character"))
    return _ReadContent(content=content, links=links, images=images)


def _signs(page: OpenedPage, about: Metadata, content: _ReadContent) -> PageSigns:
    return PageSigns(
        title=about.title,
        heading=one_line(page.marks.heading),
        kind=content.kind,
        text=content.text,
        words=content.words,
        content=content.content,
        best=content.best,
        scripts=page.scripts,
        passwords=page.passwords,
        challenge=page.challenge,
    )


def _page(about: Metadata, content: _ReadContent, notes: list[str]) -> ReadPage:
    return ReadPage(
        **msgspec.structs.asdict(about),
        content=content.content,
        kind=content.kind,
        links=content.links,
        notes=tuple(notes),
        left_out=content.left_out,
        comments=content.comments,
        images=content.images,
    )
