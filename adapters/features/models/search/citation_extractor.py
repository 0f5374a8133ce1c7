"""The citation extractor: turns the answer of any search model into rows and prose.

It collects the mentions of a page from all fields. The first mention gives the rank and the URL; a
missing title or snippet comes from the other mentions.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv6Address
from itertools import islice
from urllib.parse import SplitResult, quote, urlsplit

import msgspec

from webseam.adapters.values.field_values import truncate_snippet
from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text
from webseam.adapters.values.think_tags import split_thinking
from webseam.adapters.values.untrusted_rows import row
from webseam.ports.targets import comparable_host, normalise_escapes, remove_dot_segments
from webseam.ports.web import URL_PATTERN

from ..declaration.base_urls import api_host
from .citation_candidates import CitationCandidate, Tier
from .citation_shapes import find_citation_mentions, search_model_error_codes

_ABSOLUTE_URL_PATTERN = re.compile(URL_PATTERN)
_MAX_URL_CHARS = 8192
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
# Tracking parameters; OpenAI adds utm_source=openai to each link.
_TRACKING_PARAMETER_PATTERN = re.compile(
    r"utm_\w*|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|igshid|srsltid|mc_[ce]id|_hs(?:enc|mi)"
)
_ASCII_CHARS = "".join(map(chr, range(0x80)))
_X_POST_PATTERN = re.compile(r"/(?:i/(?:web/)?|[^/]+/)?status(?:es)?/(\d+)(?:/.*)?")
_PROSE_URL = r"https?://[^\s<>()\[\]\"'`]++(?:\([^\s<>()]*+\)[^\s<>()\[\]\"'`]*+)*+"
_PROSE_LINK_PATTERN = re.compile(
    rf"\[{{1,2}}([^\[\]]{{0,300}})\]{{1,2}}\(({_PROSE_URL})[^()]{{0,300}}\)|({_PROSE_URL})"
)
_TRAILING_PUNCTUATION = ".,;:!?*_"
ALL_TIERS: tuple[Tier, ...] = ("results", "annotations", "citations", "sources", "links")
# No real answer has more; the rest is not read.
_MAX_MENTIONS = 5000
_MAX_TITLE_CHARS = 300
_MAX_SNIPPET_CHARS = 2000


def is_citable_url(url: str) -> bool:
    """Tell whether ``url`` is valid for a row: absolute, http or https, no hidden characters."""
    if len(url) > _MAX_URL_CHARS or _ABSOLUTE_URL_PATTERN.match(url) is None:
        return False
    try:
        # urlsplit raises for host names with look-alikes, such as a character that means a slash.
        parts = urlsplit(url)
        if parts.netloc.startswith("["):
            IPv6Address(parts.hostname or "")
    except ValueError:
        return False
    return True


def canonical_citation_url(url: str) -> str:
    """Return the canonical URL that all URLs of one page share. Idempotent."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = _canonical_host(parts.netloc.lower().removesuffix(_DEFAULT_PORTS.get(scheme, ":")))
    path = remove_dot_segments(_percent_encode(parts.path))
    post = _X_POST_PATTERN.fullmatch(path) if host == "x.com" else None
    if post is not None:
        return f"https://x.com/i/status/{post[1]}"
    return f"{scheme}://{host}{path.rstrip('/')}{_canonical_query(parts)}"


def x_post_title(url: str) -> str:
    """Return a title for a post on X, from its author or number; blank for other pages.

    >>> x_post_title("https://x.com/harbour/status/42")
    '@harbour'
    >>> x_post_title("https://x.com/i/status/42")
    'X post 42'
    """
    parts = urlsplit(url)
    post = _X_POST_PATTERN.fullmatch(parts.path)
    if post is None or _canonical_host(parts.netloc.lower()) != "x.com":
        return ""
    author = parts.path.split("/")[1]
    return f"X post {post[1]}" if author in ("i", "status", "statuses") else f"@{author}"


def _canonical_host(netloc: str) -> str:
    start = 0
    # Remove all of them, or the key would not be idempotent.
    while netloc.startswith("www.", start):
        start += len("www.")
    name, colon, port = netloc[start:].partition(":")
    # An address in brackets is left as it is.
    host = netloc[start:] if name.startswith("[") else f"{comparable_host(name)}{colon}{port}"
    return {"twitter.com": "x.com", "mobile.twitter.com": "x.com"}.get(host, host)


def _canonical_query(parts: SplitResult) -> str:
    is_tracking = _TRACKING_PARAMETER_PATTERN.fullmatch
    parameters = [
        parameter
        for parameter in parts.query.split("&")
        if parameter and not is_tracking(parameter.partition("=")[0].lower())
    ]
    query = f"?{_percent_encode('&'.join(parameters))}" if parameters else ""
    # A fragment is a position in the page, or it names a page of an app: "#!about", "#/about".
    is_route = parts.fragment.startswith(("!", "/"))
    return f"{query}#{_percent_encode(parts.fragment)}" if is_route else query


def _percent_encode(text: str) -> str:
    # Both spellings occur: /wiki/Köln and /wiki/K%C3%B6ln.
    return normalise_escapes(quote(text, safe=_ASCII_CHARS, errors="replace"))


def search_model_prose(payload: object) -> str:
    """Return the model's text without its thoughts; blank if there is none."""
    body = as_mapping(payload)
    prose = "".join(_answer_texts(body)) or text(body.get("output_text"))
    return split_thinking(prose)[0].strip()


def prose_citation_links(prose: str) -> Iterator[CitationCandidate]:
    """Yield the pages in a text: markdown links and bare URLs."""
    for link in _PROSE_LINK_PATTERN.finditer(prose):
        title, linked_url, bare_url = link.groups(default="")
        url = linked_url or bare_url.rstrip(_TRAILING_PUNCTUATION)
        yield CitationCandidate(tier="links", url=url, title=title)


def _answer_texts(body: Mapping[str, object]) -> Iterator[str]:
    for choice in as_objects(body.get("choices"))[:1]:
        yield _content_text(as_mapping(choice.get("message")).get("content"))
    for item in (*as_objects(body.get("output")), *as_objects(body.get("outputs"))):
        if text(item.get("type", "message")).startswith("message"):
            yield _content_text(item.get("content"))
    yield _content_text(body.get("content"))
    for candidate in as_objects(body.get("candidates"))[:1]:
        yield _content_text(as_mapping(candidate.get("content")).get("parts"))
    # Bedrock's ``output`` is an object, not a list.
    yield _content_text(as_mapping(as_mapping(body.get("output")).get("message")).get("content"))


def _content_text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(_part_text(as_mapping(part)) for part in as_list(content))


def _part_text(part: Mapping[str, object]) -> str:
    if part.get("thought") is True or part.get("type") == "thinking":
        return ""
    cited = as_mapping(part.get("citationsContent")).get("content")
    return text(part.get("text")) or "".join(text(item.get("text")) for item in as_objects(cited))


class Citations(msgspec.Struct, frozen=True, kw_only=True):
    """The rows, the prose, and the problems of an answer.

    ``left_out`` counts citations without a usable URL; ``error_codes`` are the codes of
    searches that failed inside the answer.
    """

    rows: tuple[dict[str, object], ...] = ()
    answer: str = ""
    left_out: int = 0
    error_codes: tuple[str, ...] = ()


def find_citations(
    payload: object,
    *,
    answer: str | None = None,
    tiers: Sequence[Tier] = ALL_TIERS,
    first_only: bool = False,
) -> Citations:
    """Return the citations in any JSON; never raises. ``answer`` is the prose if already known.

    ``tiers`` lists what counts, the best first. With ``first_only`` the first tier with a usable
    URL gives all rows, and the others only add missing fields. Links in the prose count only
    without any other citation.
    """
    prose = search_model_prose(payload) if answer is None else answer.strip()
    candidates = [
        candidate
        for candidate in islice(find_citation_mentions(payload), _MAX_MENTIONS)
        if candidate.tier in tiers
    ]
    usable = [candidate for candidate in candidates if is_citable_url(candidate.url)]
    if not usable and "links" in tiers:
        usable = [link for link in prose_citation_links(prose) if is_citable_url(link.url)]
    usable.sort(key=lambda candidate: tiers.index(candidate.tier))
    return Citations(
        rows=tuple(_cited_rows(usable, first_only=first_only)),
        answer=_encodable_text(prose),
        left_out=sum(not is_citable_url(candidate.url) for candidate in candidates),
        error_codes=tuple(search_model_error_codes(payload)),
    )


def _cited_rows(cited: Sequence[CitationCandidate], *, first_only: bool) -> list[dict[str, object]]:
    pages: dict[str, list[CitationCandidate]] = {}
    for candidate in cited:
        key = canonical_citation_url(candidate.url)
        if key in pages or not first_only or candidate.tier == cited[0].tier:
            pages.setdefault(key, []).append(candidate)
    return [*map(_page_row, pages.values())]


def _page_row(mentions: Sequence[CitationCandidate]) -> dict[str, object]:
    url = mentions[0].url
    titles = (truncate_snippet(_encodable_text(m.title), _MAX_TITLE_CHARS) for m in mentions)
    title = next((candidate for candidate in titles if _is_real_title(candidate, url)), "")
    texts = (*(mention.snippet for mention in mentions), *(mention.claim for mention in mentions))
    snippets = (truncate_snippet(_encodable_text(text), _MAX_SNIPPET_CHARS) for text in texts)
    published = next((mention.published for mention in mentions if mention.published), None)
    fields = row(
        title=title or x_post_title(url) or api_host(url),
        url=url,
        snippet=next((mention for mention in snippets if mention), ""),
        published=_encodable_text(published) if isinstance(published, str) else published,
    )
    return {**fields, "origin": "model"}


def _is_real_title(title: str, url: str) -> bool:
    """Tell whether a title is real, not a number, the URL or its host."""
    plain = title.strip("[]()# ")
    return bool(plain) and not plain.isdigit() and plain.lower() not in (url.lower(), api_host(url))


def _encodable_text(text: str) -> str:
    """Return a text without lone surrogates, which cannot be encoded."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
