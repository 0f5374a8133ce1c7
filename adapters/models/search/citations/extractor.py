"""The one extractor: any answer of any search model becomes rows, prose, and what was left out.

Mentions of a page are collected from every place that may have one. The first keeps the rank and
the address; a title or a snippet that it lacks comes from the others, and from nowhere else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv6Address
from itertools import islice
from string import ascii_letters, digits
from urllib.parse import SplitResult, quote, urlsplit

import msgspec

from .....ports.targets import remove_dot_segments
from .....ports.web import URL_PATTERN
from ....values.field_values import truncate_snippet
from ....values.json_values import as_list, as_mapping, as_objects, text
from ....values.think_tags import split_thinking
from ....values.untrusted_rows import row
from .candidates import CitationCandidate, Tier
from .shapes import find_mentions, search_error_codes

_URL = re.compile(URL_PATTERN)
_MAX_URL_CHARS = 8192
_PORTS = {"http": ":80", "https": ":443"}
# What links are marked with on their way; OpenAI adds utm_source=openai to each.
_TRACKING = re.compile(
    r"utm_\w*|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|igshid|srsltid|mc_[ce]id|_hs(?:enc|mi)"
)
_ESCAPE = re.compile(r"%([0-9a-f]{2})?", re.IGNORECASE)
_ASCII = "".join(map(chr, range(0x80)))
_UNRESERVED = frozenset(f"{ascii_letters}{digits}-._~")
_POST = re.compile(r"/(?:i/(?:web/)?|[^/]+/)?status(?:es)?/(\d+)(?:/.*)?")


def is_address(url: str) -> bool:
    """Tell whether ``url`` can be a row's: absolute, http or https, nothing hidden in it."""
    if len(url) > _MAX_URL_CHARS or _URL.match(url) is None:
        return False
    try:
        # Refuses names that are others in disguise, such as one with a sign that means a slash.
        parts = urlsplit(url)
        if parts.netloc.startswith("["):
            IPv6Address(parts.hostname or "")
    except ValueError:
        return False
    return True


def page_key(url: str) -> str:
    """Return the spelling that every address of one page shares. Idempotent.

    >>> page_key("HTTPS://www.Example.com:443/a/?utm_source=openai&b=1#top")
    'https://example.com/a?b=1'
    >>> page_key("https://twitter.com/someone/status/42?s=20")
    'https://x.com/i/status/42'
    """
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = _host(parts.netloc.lower().removesuffix(_PORTS.get(scheme, ":")))
    path = remove_dot_segments(_escapes(parts.path))
    post = _POST.fullmatch(path) if host == "x.com" else None
    if post is not None:
        return f"https://x.com/i/status/{post[1]}"
    return f"{scheme}://{host}{path.rstrip('/')}{_rest(parts)}"


def url_host(url: str) -> str:
    """Return the host of an address, which stands for a title that nobody gave.

    >>> url_host("https://Tides.example:8080/today")
    'tides.example'
    """
    return urlsplit(url).hostname or ""


def post_title(url: str) -> str:
    """Name a post on X by its author, else by its number; nothing for any other page.

    >>> post_title("https://x.com/harbour/status/42"), post_title("https://x.com/i/status/42")
    ('@harbour', 'X post 42')
    """
    parts = urlsplit(url)
    post = _POST.fullmatch(parts.path) if _host(parts.netloc.lower()) == "x.com" else None
    if post is None:
        return ""
    author = parts.path.split("/")[1]
    return f"X post {post[1]}" if author in ("i", "status", "statuses") else f"@{author}"


def _host(netloc: str) -> str:
    # More than one, or taking it off once would not be the last time.
    while netloc.startswith("www."):
        netloc = netloc.removeprefix("www.")
    return {"twitter.com": "x.com", "mobile.twitter.com": "x.com"}.get(netloc, netloc)


def _rest(parts: SplitResult) -> str:
    parameters = [
        each
        for each in parts.query.split("&")
        if each and not _TRACKING.fullmatch(each.partition("=")[0].lower())
    ]
    query = f"?{_escapes('&'.join(parameters))}" if parameters else ""
    # A fragment is a place in the page, but for those that are a page of their own.
    return query + (f"#{parts.fragment}" if parts.fragment.startswith("!") else "")


def _escapes(text: str) -> str:
    # Beyond ASCII both spellings are met: /wiki/Köln and /wiki/K%C3%B6ln.
    return _ESCAPE.sub(_escape, quote(text, safe=_ASCII, errors="replace"))


def _escape(escape: re.Match[str]) -> str:
    if escape[1] is None:
        # Left alone, it could become one with what follows.
        return "%25"
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


# The one extractor: any answer of any search model becomes rows, prose, and what was left out.

_ADDRESS = r"https?://[^\s<>()\[\]\"'`]+(?:\([^\s<>()]*\)[^\s<>()\[\]\"'`]*)*"
_LINK = re.compile(
    rf"\[{{1,2}}([^\[\]]{{0,300}})\]{{1,2}}\(({_ADDRESS})[^()]{{0,300}}\)|({_ADDRESS})"
)
_TRAILING = ".,;:!?*_"


def answer_prose(payload: object) -> str:
    """Return what the model said, without its thoughts; empty when it said nothing."""
    body = as_mapping(payload)
    prose = "".join(_pieces(body)) or text(body.get("output_text"))
    return split_thinking(prose)[0].strip()


def prose_links(prose: str) -> Iterator[CitationCandidate]:
    """Yield the pages that a text points to: markdown links, and addresses as such."""
    for link in _LINK.finditer(prose):
        title, linked, bare = link.groups(default="")
        url = linked or bare.rstrip(_TRAILING)
        yield CitationCandidate(tier="links", url=url, title=title)


def _pieces(body: Mapping[str, object]) -> Iterator[str]:
    for choice in as_objects(body.get("choices"))[:1]:
        yield _words(as_mapping(choice.get("message")).get("content"))
    for item in (*as_objects(body.get("output")), *as_objects(body.get("outputs"))):
        if text(item.get("type", "message")).startswith("message"):
            yield _words(item.get("content"))
    yield _words(body.get("content"))
    for first in as_objects(body.get("candidates"))[:1]:
        yield _words(as_mapping(first.get("content")).get("parts"))
    # Bedrock: the one where ``output`` is no list.
    yield _words(as_mapping(as_mapping(body.get("output")).get("message")).get("content"))


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(_part(as_mapping(part)) for part in as_list(content))


def _part(part: Mapping[str, object]) -> str:
    if part.get("thought") is True or part.get("type") == "thinking":
        return ""
    cited = as_mapping(part.get("citationsContent")).get("content")
    return text(part.get("text")) or "".join(text(each.get("text")) for each in as_objects(cited))


ALL_TIERS: tuple[Tier, ...] = ("results", "annotations", "citations", "sources", "links")
# No answer has more; who sends one is not read to its end.
_MAX_MENTIONS = 5000
_MAX_TITLE_CHARS = 300
_MAX_SNIPPET_CHARS = 2000


class Citations(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer holds: rows for the kernel, its prose, and what could not be used.

    ``left_out`` counts citations without a usable address; ``search_error_codes`` are the codes of
    searches that failed inside the answer.
    """

    rows: tuple[dict[str, object], ...] = ()
    answer: str = ""
    left_out: int = 0
    troubles: tuple[str, ...] = ()


def find_citations(
    payload: object,
    *,
    answer: str | None = None,
    tiers: Sequence[Tier] = ALL_TIERS,
    first_only: bool = False,
) -> Citations:
    """Read any JSON; never raises. ``answer`` is the prose where it is known already.

    ``tiers`` says what counts, the best first. With ``first_only`` the first tier that has a usable
    address gives all rows, and the others only fill in what these lack. Links in the prose count
    only where there is nothing else.
    """
    prose = answer_prose(payload) if answer is None else answer.strip()
    mentioned = [
        each for each in islice(find_mentions(payload), _MAX_MENTIONS) if each.tier in tiers
    ]
    usable = [each for each in mentioned if is_address(each.url)]
    if not usable and "links" in tiers:
        usable = [each for each in prose_links(prose) if is_address(each.url)]
    usable.sort(key=lambda each: tiers.index(each.tier))
    return Citations(
        rows=tuple(_rows(usable, first_only=first_only)),
        answer=_whole(prose),
        left_out=sum(not is_address(each.url) for each in mentioned),
        troubles=tuple(search_error_codes(payload)),
    )


def _rows(usable: Sequence[CitationCandidate], *, first_only: bool) -> list[dict[str, object]]:
    pages: dict[str, list[CitationCandidate]] = {}
    for each in usable:
        key = page_key(each.url)
        if key in pages or not first_only or each.tier == usable[0].tier:
            pages.setdefault(key, []).append(each)
    return [_row(same) for same in pages.values()]


def _row(same: Sequence[CitationCandidate]) -> dict[str, object]:
    """Make one row of all mentions of a page."""
    url = same[0].url
    titles = (truncate_snippet(_whole(each.title), _MAX_TITLE_CHARS) for each in same)
    title = next((each for each in titles if _is_title(each, url)), "")
    words = (*(each.snippet for each in same), *(each.claim for each in same))
    snippets = (truncate_snippet(_whole(each), _MAX_SNIPPET_CHARS) for each in words)
    fields = row(
        title=title or post_title(url) or url_host(url),
        url=url,
        snippet=next((each for each in snippets if each), ""),
        published=next((_date(each.published) for each in same if each.published), None),
    )
    return {**fields, "origin": "model"}


def _is_title(title: str, url: str) -> bool:
    """Tell a title from what stands in its place: a number, the address, its host."""
    bare = title.strip("[]()# ")
    return bool(bare) and not bare.isdigit() and bare.lower() not in (url.lower(), url_host(url))


def _date(published: object) -> object:
    return _whole(published) if isinstance(published, str) else published


def _whole(text: str) -> str:
    """Return a text that can be written: half a surrogate pair cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
