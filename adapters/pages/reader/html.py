"""From HTML to a ``ReadPage``, step by step."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec
from returns.result import Failure, Result, Success
from turbohtml import Document, Element, parse

from ....ports.errors import BlockedByRemote, EmptyContent, ParseFailed, WebError
from ....ports.pages import LeftOut, LeftOutKind, PageComment, PageImage, ReadPage
from ..safe_text import one_line, removal_note
from .controls import is_advert
from .discussion.bylines import Byline, read_bylines
from .discussion.comment_reading import read_comments
from .discussion.comments import (
    comment_boxes,
    drop_comment_signs,
    drop_comments,
    dropped_comment_words,
    post_boxes,
)
from .discussion.post_authors import keep_post_authors
from .features.measures import OpenedPage, measure_opened, open_document
from .features.page_features import KINDS, MeasuredPage
from .features.signs import RELATED
from .html_parsing import parse_page
from .metadata import Metadata, read_metadata
from .page_segments import MAX_RUNS, TooManyBlocksError
from .rendering.images import take_images
from .rendering.markdown import render_markdown, tidy_tree
from .run_choice import choose_runs, is_article
from .scores import score_page
from .size_limits import fit_page
from .structured_data.embedded_data import embedded_page
from .structured_data.facts import read_facts
from .structured_data.product_description import product_description
from .structured_data.recipes import with_ingredients
from .tree_pruning import prune_to_runs
from .verdicts import PageSigns, judge_page

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
