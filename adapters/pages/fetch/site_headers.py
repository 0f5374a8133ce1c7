"""Headers and cookies that the user sends to one site, and to no other origin."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.secrets import Secret
from ....ports.targets import Target

if TYPE_CHECKING:
    from http.cookiejar import CookieJar

_MAX_COOKIE_FILE_BYTES = 1_000_000


class SiteAccess(msgspec.Struct, frozen=True, kw_only=True):
    """What goes to one origin: headers, and the cookies of a file that match a URL there."""

    headers: Mapping[str, Secret]
    cookies: "CookieJar | None" = None


# By scheme and authority.
Sites: TypeAlias = Mapping[tuple[str, str], SiteAccess]


def read_cookies_file(path: Path) -> "Result[CookieJar, str]":
    """Read a file in the format of Netscape, which browsers export; or return why not."""
    from http.cookiejar import LoadError, MozillaCookieJar  # noqa: PLC0415  few users have one

    jar = MozillaCookieJar()
    try:
        if path.stat().st_size > _MAX_COOKIE_FILE_BYTES:
            return Failure(f"has more than {_MAX_COOKIE_FILE_BYTES} bytes")
        jar.load(str(path), ignore_discard=True)
    except (LoadError, UnicodeError):
        return Failure("is not a cookies.txt in the format of Netscape")
    except OSError as error:
        return Failure(f"cannot be read ({type(error).__name__})")
    return Success(jar)


def site_headers(
    sites: Sites, target: Target, passed: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return the headers for a target after the URLs that redirected to it.

    A site that another host redirects to gets none: that host chose the URL, not the user.
    """
    site = sites.get((target.scheme, target.authority))
    hosts = {url.partition("://")[2].partition("/")[0] for url in passed}
    if site is None or not hosts <= {target.authority}:
        return ()
    headers = {name: value.reveal() for name, value in site.headers.items()}
    if site.cookies is not None and "cookie" not in map(str.lower, headers):
        import urllib.request  # noqa: PLC0415  few users have cookies

        # http.cookiejar matches domains, paths, https and ages after RFC 6265.
        request = urllib.request.Request(target.url)  # noqa: S310  it is never opened
        site.cookies.add_cookie_header(request)
        headers |= {name: text for name, text in request.header_items() if name == "Cookie"}
    return tuple(headers.items())
