"""Find the markdown version that a page names, join it with the page, compare it with the HTML.

A version on another origin could put other text in the place of the page, so it does not count.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from html import unescape
from urllib.parse import urljoin

from msgspec.structs import replace
from returns.result import Success

from webseam.ports.pages import LeftOut, PagePart, ReadPage
from webseam.ports.usage import USAGE_HEADERS, UsageStatement
from webseam.ports.words import count_words

from ..text.fence import fence_text
from ..urls.url_parsing import parse_target

_MAX_HEADER_CHARS = 8000
_MARKDOWN_FIELDS = (
    "content", "links", "images", "notes", "left_out", "parts", "cuts", "words", "complete",
)  # fmt: skip
_MAX_AGENTS_ONLY_CHARS = 20_000
# Letters of a passage that must stand side by side in the HTML.
_WINDOW_CHARS = 12
# A link of RFC 8288 with its parameters; a URI reference is ASCII.
_LINK_PATTERN = re.compile(r"<([!-;=?-Z^-~]{1,2000}+)>([^<]{0,500}+)")
_TWIN_PATTERNS = tuple(
    re.compile(rf";\s*+{parameter}[\s\";,]", re.IGNORECASE)
    for parameter in (r"rel\s*+=\s*+\"?(?:[\w-]++ )*+alternate", r"type\s*+=\s*+\"?text/markdown")
)
_PASSAGE_END_PATTERN = re.compile(
    r"(?:(?<=[.!?])|(?<=[.!?][*_)\"'\]])|(?<=[.!?]\*\*))(?=[ \t])|(?<=[\u3002\uff01\uff1f\n])"
)
# Marks with letters of their own: numbers of lists, fences, addresses of links.
_MARK_PATTERN = re.compile(
    r"^[\s>]{0,50}+(?:[-*+]\s\[[xX]\]|\d{1,9}[.)](?=\s|$)|(?:```|~~~)[\w+#-]{0,20}+$"
    r"|\[[^\[\]\n]{1,100}+\]:(?=\s{1,9}+\S{1,2000}+$).*)|(?<=\])\[[^\[\]\s]{0,50}+\]"
    r"|(?<=\]\()<?(?:[^()\s]|\([^()\s]{0,500}+\)){0,2000}+"
)
# Marks that visitors do not see, and that can hold a sentence: tags, titles of links, footnotes.
_UNSEEN_PATTERN = re.compile(
    r"</?[a-zA-Z]{1,20}+(?:\s[^<>]{0,500}+)?+/?>|(?<=\S)\s\"[^\"\n]{0,500}+\"(?=\))|\[\^\w{1,20}+\]:?"
)
_WORD_PATTERN = re.compile(r"(\d+)|[^\W\d_]+")


def find_markdown_twin(url: str, link_header: str, stated: str | None) -> str | None:
    """Return the markdown version that the page at ``url`` names on its own origin, if any.

    >>> link = '</x.md>; rel="alternate"; type="text/markdown"'
    >>> find_markdown_twin("https://a.example/x", link, None)
    'https://a.example/x.md'
    """
    links = _LINK_PATTERN.findall(link_header[:_MAX_HEADER_CHARS])
    named = [at for at, more in links if all(one.search(f"{more},") for one in _TWIN_PATTERNS)]
    urls = (url, *(urljoin(url, at) for at in named), stated or url)
    parsed = [one.unwrap().url for one in map(parse_target, urls) if isinstance(one, Success)]
    twins = (twin for twin in parsed if twin != parsed[0] and is_same_origin(twin, url))
    return next(twins, None)


def is_same_origin(first: str, second: str) -> bool:
    """Tell whether two URLs have the same scheme, host and port."""
    left, right = (parse_target(url).value_or(None) for url in (first, second))
    if left is None or right is None:
        return False
    return (left.scheme, left.authority) == (right.scheme, right.authority)


def join_markdown_page(markdown: ReadPage, html: ReadPage, headers: Mapping[str, str]) -> ReadPage:
    """Return the HTML page with its markdown text; all that both and ``headers`` say counts."""
    said = (UsageStatement("header", name, headers.get(name, "")) for name in USAGE_HEADERS)
    taken = {name: getattr(markdown, name) for name in _MARKDOWN_FIELDS}
    statements = dict.fromkeys((*markdown.statements, *html.statements, *said))
    return replace(html, **taken, statements=tuple(statements))


def is_sampled_page(url: str, share: float) -> bool:
    """Tell whether a page is in a sample; its URL alone decides.

    >>> [is_sampled_page("https://a.example/", share) for share in (0, 0.7, 0.8, 1)]
    [False, False, True, True]
    """
    return int.from_bytes(_page_digest(url)[:6], "big") < share * 2**48


def _page_digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "replace")).digest()


def split_agents_text(page: ReadPage, html: ReadPage) -> ReadPage:
    """Move the passages that the HTML does not show to ``agents_only``, fenced.

    Blanks, case, punctuation and marks do not count. If nothing remains, take the HTML's content.
    """
    texts = _PASSAGE_END_PATTERN.split(page.content)
    forms = [tuple(dict.fromkeys((text, _UNSEEN_PATTERN.sub("", text)))) for text in texts]
    wanted = {window for both in forms for form in both for window in _passage_windows(form)}
    letters = _passage_letters(f"{html.visible}\n{html.title}\n{html.content}")
    shown = set[str]()
    for size in {len(window) for window in wanted}:
        parts = (letters[at : at + size] for at in range(len(letters) - size + 1))
        shown.update(part for part in parts if part in wanted)
    kept, told = list[str](), list[str]()
    for both in forms:
        form = next((form for form in both if shown.issuperset(_passage_windows(form))), None)
        kept.append("\n" * both[0].endswith("\n") if form is None else form)
        told += [both[0].strip()] if form is None else []
    if not told:
        return replace(page, content="".join(kept), second_look="compared")
    content, text = re.sub(r"\n{3,}+", "\n\n", "".join(kept)).strip(), "\n".join(told)
    return replace(
        page,
        content=content if _passage_letters(content) else html.content,
        second_look="compared",
        agents_only=fence_text(text[:_MAX_AGENTS_ONLY_CHARS], _page_digest(text).hex()[:16]),
        left_out=(*page.left_out, LeftOut(kind="agents_only", words=count_words(text))),
        parts=(*page.parts, PagePart(kind="agents_only", text=text)),
    )


def _passage_letters(text: str) -> str:
    """Return letters and numbers; a number has marks around it, as 10 is no part of 100."""
    words = _WORD_PATTERN.finditer(unescape(text).casefold())
    return "".join(f"|{word[0]}|" if word[1] else word[0] for word in words)


def _passage_windows(passage: str) -> list[str]:
    """Return windows that overlap and cover the letters of a passage."""
    letters = _passage_letters(_MARK_PATTERN.sub(" ", passage))
    starts = [
        *range(0, len(letters) - _WINDOW_CHARS, _WINDOW_CHARS // 2),
        max(0, len(letters) - _WINDOW_CHARS),
    ]
    return [letters[at : at + _WINDOW_CHARS] for at in starts if letters]
