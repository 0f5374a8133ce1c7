"""Turn HTML into a ``ReadPage``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import compress
from typing import Final

import msgspec
from returns.result import Failure, Result, Success
from turbohtml import Document, Element, Text, parse

from webseam.ports.errors import EmptyContent, ParseFailed, WebError
from webseam.ports.pages import PARTS_CAP, LeftOut, LeftOutKind, ReadPage, fitting_parts
from webseam.ports.words import count_all_words

from ..pages.safe_text import one_line, removal_note
from . import thresholds as fitted
from .caps import CAPS
from .comment_reading import Byline, ReadComments, keep_post_authors, read_bylines, read_comments
from .comments import comment_boxes, comment_runs, is_text_beside_comments, post_boxes
from .html_parsing import parse_page
from .measures.page_features import KINDS, MeasuredPage, OpenedPage, measure_opened, open_document
from .metadata import PageHead, is_stated_one_text, read_metadata
from .page_segments import MAX_RUNS, PageSegments, TooManyBlocksError, prune_to_runs
from .removals import Removals
from .rendering.images import take_images
from .rendering.markdown import render_markdown, tidy_tree
from .run_choice import RunChoice, choose_likely_runs, choose_runs
from .scores import PageScores, score_page
from .structured_data.embedded_data import embedded_page
from .structured_data.facts import read_facts
from .verdicts import MIN_SHOWN_WORDS, MOUNT_SELECTOR, PageSigns, judge_page
from .visibility.pruning import PrunedPage, prune_page
from .walls import declared_access, find_wall, is_whole_text, longest_article_body

MAX_HTML_CHARS: Final = 4_000_000
_SCRIPT_END_PATTERN: Final = re.compile(r"</script", re.IGNORECASE)
_SCRIPT_START_PATTERN: Final = re.compile(r"<(?=script\b)", re.IGNORECASE)
_LINKED_DATA_PATTERN: Final = re.compile(r"ld\+json", re.IGNORECASE)
_MIN_DROPPED_SCRIPT_CHARS: Final = 20_000
_MAX_VERDICT_RUNS: Final = 100
_LIST_KINDS: Final = frozenset({"collection", "listing", "product"})
_ARTICLE_KIND: Final = KINDS.index("article")
_FORUM_KIND: Final = KINDS.index("forum")
_MIN_POSTS: Final = 2
_SHELL_REASONS: Final = frozenset({"needs_browser", "no_text"})
_WALLED_NOTE: Final = "took text that stands in the page behind a wall"
_STATED_NOTE: Final = "kept hidden text that the page states as its own in linked data"
_FREE_NOTE: Final = "kept the hidden rest of a text that the page declares free"
_CARRIED_NOTE: Final = "read from data that the page carries for its script"


class FittedHtml(msgspec.Struct, frozen=True):
    """A page within the size limit, the rest of it in pieces as large, and a note on the loss."""

    html: str | bytes
    rest: tuple[str | bytes, ...] = ()
    note: str | None = None


def fit_html_page(html: str | bytes) -> FittedHtml:
    """Return a page within the size limit: first large scripts go, then its end.

    >>> fit_html_page("<p>short").html
    '<p>short'
    """
    if len(html) <= MAX_HTML_CHARS:
        return FittedHtml(html)
    # Latin-1 maps each byte to one character and back.
    text = html.decode("latin-1") if isinstance(html, bytes) else html
    lean = _drop_large_scripts(text)
    pieces = list(_split_at_tags(lean))
    note = (
        f"truncated: only the first {MAX_HTML_CHARS} characters were read"
        if len(pieces) > 1
        else "read without what its large scripts carry: the page is too large"
    )
    if isinstance(html, bytes):
        first, *rest = (piece.encode("latin-1") for piece in pieces)
        return FittedHtml(first, tuple(rest), note)
    return FittedHtml(pieces[0], tuple(pieces[1:]), note)


def _split_at_tags(html: str) -> Iterator[str]:
    """Yield pieces of at most ``MAX_HTML_CHARS`` that begin at a tag and not inside a script."""
    start = 0
    while len(html) - start > MAX_HTML_CHARS:
        end = start + MAX_HTML_CHARS
        near = max(start, end - 2 * _MIN_DROPPED_SCRIPT_CHARS)
        tag = html.rfind("<", near, end)
        scripts = [match.start() for match in _SCRIPT_START_PATTERN.finditer(html, near, end)]
        if scripts and _SCRIPT_END_PATTERN.search(html, scripts[-1], end) is None:
            tag = scripts[-1]
        end = tag if tag > start else end
        yield html[start:end]
        start = end
    yield html[start:]


def _drop_large_scripts(html: str) -> str:
    """Return a page without the text of large scripts; linked data stays."""
    # Each piece but the first begins with the name of a script's tag.
    first, *pieces = _SCRIPT_START_PATTERN.split(html)
    return "<".join([first, *map(_drop_script_text, pieces)])


def _drop_script_text(piece: str) -> str:
    begin, close, rest = piece.partition(">")
    end = _SCRIPT_END_PATTERN.search(rest)
    size = len(rest) if end is None else end.start()
    if size <= _MIN_DROPPED_SCRIPT_CHARS or _LINKED_DATA_PATTERN.search(begin):
        return piece
    return f"{begin}{close}{rest[size:]}"


def read_html(
    html: str | bytes,
    url: str = "",
    *,
    content_type: str = "",
    comments: bool = False,
    walled: bool = False,
    parts: bool = False,
) -> Result[ReadPage, WebError]:
    """Read a page, or return why there is nothing to read.

    ``url`` is the page's address, to make links absolute. For bytes, ``content_type`` is the
    response header; it decides the charset where neither the bytes nor a byte order mark do.
    ``comments`` returns readers' comments beside the content. ``walled`` also takes the text behind
    a wall that asks visitors to register or to pay, where it stands in the page. ``parts`` returns
    the text of what is left out, too.
    """
    if not html or html.isspace():
        return Failure(EmptyContent(reason="no_body", url=url or None))
    fitted = fit_html_page(html)
    html = fitted.html
    notes = [] if fitted.note is None else [fitted.note]
    document = parse_page(html, content_type)
    if document is None:
        return Failure(ParseFailed(reason="too_complex", url=url or None))
    cuts = [*(["page_chars"] if fitted.rest else []), *_unopened_parts(document)]
    bylines = read_bylines(document) if comments else None
    page = open_document(document, walled=walled, parts=parts)
    base = page.document.base_url(url)
    blank = read_metadata(page.head, page.marks, base)
    context = _ReadContext(blank=blank, url=url, base=base, notes=notes, bylines=bylines)
    content = _read_content(page, context)
    refusal = judge_page(_page_signs(page, content))
    if refusal is not None:
        is_shell = isinstance(refusal, EmptyContent) and refusal.reason in _SHELL_REASONS
        carried = _read_embedded_page(html, content_type, context) if is_shell else None
        if carried is None:
            return Failure(msgspec.structs.replace(refusal, url=url or None))
        carried.removals.add(_dropped_page(content, "unlikely"))
        content, notes = carried, [_CARRIED_NOTE]
    if walled and not content.page.complete:
        content = _add_walled_text(page, content, notes)
    for piece in fitted.rest:
        _take_rest(piece, content_type, content.removals)
    facts = read_facts(page.head, page.items)
    read_page = _state_left_out(content, [*cuts, *facts.cuts])
    if parts:
        read_page = _add_parts(read_page, content.removals)
    return Success(msgspec.structs.replace(read_page, notes=tuple(notes), facts=facts.facts))


def _unopened_parts(document: Document) -> Iterator[str]:
    """Yield the caps on frames and shadow roots that a parsed page met."""
    if document.select_one("iframe[srcdoc]") is not None:
        yield "frames"
    if document.select_one("template[shadowrootmode]") is not None:
        yield "shadow_roots"


def _take_rest(html: str | bytes, content_type: str, removals: Removals) -> None:
    """Take the visible text behind the size limit."""
    document = parse_page(html, content_type)
    pruned = None if document is None else prune_page(document, menus=True)
    if pruned is not None:
        pruned.removals.rename("walled", "hidden")
        removals.add(pruned.removals)
        removals.take("truncated", pruned.body)


def _dropped_page(content: _PageReading, kind: LeftOutKind) -> Removals:
    """Return all text of a page whose content is not used."""
    removals = Removals()
    removals.add(content.removals)
    lines = [line for line in content.page.content.split("\n") if line]
    removals.take_lines(kind, lines, ())
    removals.add_words(kind, content.kept_words)
    return removals


def _state_left_out(content: _PageReading, cuts: list[str]) -> ReadPage:
    """State what is not in the content: its words, and the caps that the text met."""
    page = content.page
    left_out = content.removals.left_out()
    if not page.complete and not any(entry.kind == "walled" for entry in left_out):
        # The words behind a wall are known only where they stand in the page.
        left_out = (*left_out, LeftOut(kind="walled", words=0))
    met = (*cuts, *page.cuts)
    is_whole = not any(CAPS[name].loses_text for name in met)
    return msgspec.structs.replace(
        page,
        left_out=left_out,
        cuts=met,
        words=content.kept_words,
        complete=page.complete and is_whole,
    )


def _add_parts(page: ReadPage, removals: Removals) -> ReadPage:
    parts = removals.parts()
    fitting = fitting_parts(parts)
    cuts = page.cuts if len(fitting) == len(parts) else (*page.cuts, PARTS_CAP)
    return msgspec.structs.replace(page, parts=fitting, cuts=cuts)


def visible_html_text(html: bytes, content_type: str = "") -> str:
    """Return all text that a visitor sees, and the descriptions of pictures."""
    document = parse_page(fit_html_page(html).html, content_type)
    pruned = None if document is None else prune_page(document, menus=True)
    if pruned is None:
        return ""
    alts = (image.attr("alt") or "" for image in pruned.body.find_all("img"))
    return " ".join((*pruned.body.strings, *alts))


def _add_walled_text(page: OpenedPage, content: _PageReading, notes: list[str]) -> _PageReading:
    """Replace a shorter content by the article that linked data gives; note what was taken."""
    body = longest_article_body(page.head.things)
    if len(body.split()) > len(content.page.content.split()):
        text = "\n\n".join(line.strip() for line in body.splitlines() if line.strip())
        notes.append(_WALLED_NOTE)
        # What the page shows of the article is in its linked data once more.
        read_page = msgspec.structs.replace(content.page, content=text, complete=True)
        return _PageReading(read_page, _dropped_page(content, "copies"))
    if page.pruned is not None and page.pruned.rest:
        notes.append(_WALLED_NOTE)
    return content


class _ReadContext(msgspec.Struct, frozen=True, kw_only=True):
    """A page's metadata in a page without content, its addresses, and the notes on it.

    ``bylines`` are those of comments, read before pruning; None where nobody asks for comments.
    """

    blank: ReadPage
    url: str
    base: str
    notes: list[str]
    bylines: dict[Element, Byline] | None = None


class _PageReading(msgspec.Struct, frozen=True):
    """A page with its content, and what is not in it.

    ``text`` is its first text, ``words`` all its words as the model counts them, ``best`` the best
    chance of a run. ``kept_words`` are the words of the source in the content.
    """

    page: ReadPage
    removals: Removals
    text: str = ""
    words: int = 0
    best: float = 1.0
    kept_words: int = 0


def _read_embedded_page(
    html: str | bytes, content_type: str, context: _ReadContext
) -> _PageReading | None:
    """Read the page in the script data of an empty shell; None where there is none."""
    shell = parse_page(html, content_type)
    carried = None if shell is None else embedded_page(shell)
    if carried is None:
        return None
    page = open_document(parse(carried.html, positions=False))
    content = _read_content(page, msgspec.structs.replace(context, notes=[]))
    if not content.page.content:
        return None
    if not carried.is_cut:
        return content
    cut_page = msgspec.structs.replace(content.page, cuts=("script_data", *content.page.cuts))
    return msgspec.structs.replace(content, page=cut_page)


def _read_content(page: OpenedPage, context: _ReadContext) -> _PageReading:
    pruned, notes = page.pruned, context.notes
    if pruned is None:
        return _PageReading(context.blank, Removals())
    removals = pruned.removals
    if pruned.hidden:
        notes.append(removal_note(pruned.hidden, "hidden part"))
    if pruned.waiting:
        notes.append("kept text that the page hides until its script has run")
    if pruned.stated:
        notes.append(_STATED_NOTE)
    if pruned.rest and declared_access(page.head) == "free":
        notes.append(_FREE_NOTE)
    try:
        measured = measure_opened(page, context.url)
    except TooManyBlocksError:
        notes.append("not scored: the page is too large, so all of it was kept")
        removals.rename("walled", "hidden")
        read_page, kept_words = _render_content_root(pruned.body, context, removals)
        read_page = msgspec.structs.replace(read_page, cuts=("runs", *read_page.cuts))
        return _PageReading(read_page, removals, words=MAX_RUNS, kept_words=kept_words)
    if measured is None:
        removals.rename("walled", "hidden")
        return _PageReading(context.blank, removals)
    return _render_chosen_runs(measured, pruned, context)


def _render_chosen_runs(
    page: MeasuredPage, pruned: PrunedPage, context: _ReadContext
) -> _PageReading:
    scored = score_page(page)
    numbers = comment_boxes(page.segments)
    may_be_forum = scored.kind == "forum" or scored.kinds[_FORUM_KIND] >= fitted.MIN_FORUM_CHANCE
    posts = post_boxes(page.segments, numbers) if may_be_forum else []
    is_sure_forum = scored.kinds[_FORUM_KIND] >= fitted.SURE_FORUM_CHANCE
    if scored.kind == "forum" and len(posts) < _MIN_POSTS and not is_sure_forum:
        # A forum has posts.
        scored.kinds[_FORUM_KIND] = 0.0
        scored.kinds[:] = [chance / sum(scored.kinds) for chance in scored.kinds]
    runs = page.segments.runs
    # The posts of a forum are its content; where they look like comments, be sure of the forum.
    is_forum = scored.kind == "forum" and (len(posts) > len(numbers) or is_sure_forum)
    comments = set() if is_forum else comment_runs(page.segments, numbers)
    choice = _choose_runs_beside_comments(page, scored, numbers, comments)
    kept = choice.kept
    if is_forum:
        keep_post_authors(page.segments, posts, kept)
    access = declared_access(page.head)
    may_be_article = scored.kinds[_ARTICLE_KIND] >= fitted.MAYBE_ARTICLE_CHANCE
    may_have_wall = access != "free" and (may_be_article or scored.kind not in _LIST_KINDS)
    kept_words = sum(run.words for run in compress(runs, kept))
    is_whole = access != "payment" or is_whole_text(kept_words, page.head.things)
    has_rest = pruned.rest > 0 or not is_whole
    wall = find_wall(page.segments, kept, has_rest=has_rest) if may_have_wall else None
    for index in wall.runs if wall is not None else ():
        kept[index] = False
    # A page that declares its text free keeps the hidden rest.
    is_hidden = may_have_wall and pruned.rest > kept_words
    is_complete = wall is None and is_whole and not is_hidden
    # Read comments before the tree is pruned of everything that is not kept.
    page_comments = ReadComments()
    if context.bylines is not None:
        is_thread = scored.kinds[_FORUM_KIND] >= fitted.MIN_FORUM_CHANCE
        page_comments = read_comments(
            page.segments, page.head, posts if is_thread else numbers, context.bylines
        )
    _take_dropped_runs(page.segments, choice, comments, pruned.removals)
    if is_complete:
        pruned.removals.rename("walled", "hidden")
    root = prune_to_runs(page.segments, kept)
    page_read, words = _render_content_root(root, context, pruned.removals)
    page_read = msgspec.structs.replace(
        page_read,
        kind=_stated_kind(scored, posts, page.head),
        comments=page_comments.comments,
        access=wall.access if wall is not None and access == "unknown" else access,
        complete=is_complete,
        cuts=(*page_read.cuts, *(("comments",) if page_comments.is_cut else ())),
    )
    text = " ".join(run.text for run in runs[:_MAX_VERDICT_RUNS])
    return _PageReading(
        page_read, pruned.removals, text, page.tallies.total_words, max(scored.likely), words
    )


def _take_dropped_runs(
    segments: PageSegments, choice: RunChoice, comments: set[int], removals: Removals
) -> None:
    kinds: dict[LeftOutKind, list[Text]] = {"unlikely": [], "copies": [], "comments": []}
    for index, run in enumerate(segments.runs):
        if choice.kept[index]:
            continue
        if index in comments:
            kind: LeftOutKind = "comments"
        else:
            kind = "copies" if index in choice.copies else "unlikely"
        kinds[kind] += segments.texts[run.first : run.last]
    for kind, nodes in kinds.items():
        removals.take_runs(kind, nodes)


def _stated_kind(scored: PageScores, posts: list[int], head: PageHead) -> str:
    """Return the likeliest kind; a page without posts is no forum, however much it looks like one.

    Nor is a recipe, a shop or an article with questions of its readers. The text of such a page may
    still be chosen as on a forum whose posts have no names that we know.
    """
    is_no_forum = len(posts) < _MIN_POSTS or is_stated_one_text(head.things)
    if scored.kind != "forum" or not is_no_forum:
        return scored.kind
    others = [chance for kind, chance in enumerate(scored.kinds) if kind != _FORUM_KIND]
    return KINDS[scored.kinds.index(max(others))]


def _choose_runs_beside_comments(
    page: MeasuredPage, scored: PageScores, numbers: list[int], comments: set[int]
) -> RunChoice:
    """Choose the content without the comments, unless there is no text beside them."""
    related = [sign is not None for sign in page.signs.scopes_over_runs()]
    if comments:
        rest = [0.0 if index in comments else chance for index, chance in enumerate(scored.likely)]
        choice = choose_runs(page.segments, rest, scored.kinds, related)
        for index in comments:
            choice.kept[index] = False
        if is_text_beside_comments(page.segments, numbers, choice.kept):
            return choice
    choice = choose_runs(page.segments, scored.likely, scored.kinds, related)
    words = sum(run.words for run in compress(page.segments.runs, choice.kept))
    if words < fitted.MIN_KEPT_SHARE * page.tallies.total_words:
        # The rules took nearly all of the page: ask the model alone.
        return choose_likely_runs(page.segments, scored.likely)
    return choice


def _render_content_root(
    root: Element, context: _ReadContext, removals: Removals
) -> tuple[ReadPage, int]:
    """Return the page with its content, and the number of the source's words in it."""
    words = count_all_words(removals.source_text(root))
    tidied = Removals()
    taken = take_images(root, context.base)
    links = tidy_tree(root, context.base, tidied)
    content, removed = render_markdown(root)
    if removed:
        context.notes.append(removal_note(removed, "invisible character"))
    removals.add(tidied)
    page = msgspec.structs.replace(
        context.blank,
        content=content,
        links=links,
        images=taken.images,
        cuts=taken.cuts,
    )
    return page, words - sum(tidied.count().values())


def _page_signs(page: OpenedPage, content: _PageReading) -> PageSigns:
    return PageSigns(
        title=content.page.title,
        heading=one_line(page.marks.heading),
        kind=content.page.kind,
        text=content.text,
        words=content.words,
        content=content.page.content,
        best=content.best,
        scripts=page.scripts,
        passwords=page.passwords,
        challenge=page.challenge,
        hidden_chars=0 if page.pruned is None else page.pruned.hidden_chars,
        is_mount=page.pruned is not None
        and content.words < MIN_SHOWN_WORDS
        and page.pruned.body.select_one(MOUNT_SELECTOR) is not None,
    )
