"""Which document is for which URL: matched by name, never by place."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from returns.result import Failure, Result, Success

from ...ports.backends import UntrustedRow
from ...ports.errors import Missing, WebError
from .service import PageFailed


def match_pages(
    pages: Sequence[UntrustedRow | PageFailed],
    urls: Sequence[str],
    canonical: Callable[[str], str],
) -> tuple[Result[UntrustedRow, WebError], ...]:
    """Return one outcome for each URL; one that the service forgot is ``Missing``.

    When one page was asked for and one came, it is handed on whatever it calls itself: the kernel
    says what is wrong with it.
    """
    if len(urls) == 1 and len(pages) == 1 and not isinstance(pages[0], PageFailed):
        return (Success(pages[0]),)
    named: dict[str, UntrustedRow | PageFailed] = {}
    for page in pages:
        url = _url(page)
        if isinstance(url, str):
            named.setdefault(canonical(url), page)
    return tuple(_outcome(named.get(canonical(url)), url) for url in urls)


def _outcome(page: UntrustedRow | PageFailed | None, url: str) -> Result[UntrustedRow, WebError]:
    if page is None:
        return Failure(Missing(url=url))
    if isinstance(page, PageFailed):
        return Failure(page.error)
    # As it was asked for: the service may spell the same address in another way.
    return Success({**cast("Mapping[str, object]", page), "url": url})


def _url(page: object) -> object:
    if isinstance(page, PageFailed):
        return page.url
    return page.get("url") if isinstance(page, Mapping) else None
