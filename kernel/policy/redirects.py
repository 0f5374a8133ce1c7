"""Redirects: where one leads, judged like a URL of its own."""

import re
from typing import TypeAlias
from urllib.parse import quote, urljoin

from returns.result import Failure, Result, Success

from ...ports.errors import BadRedirect, InvalidUrl, UrlDenied
from ...ports.targets import MAX_URL_CHARS, Target
from ...ports.web import HIDDEN_IN_URLS
from ..text.redaction import redact_url
from ..urls.url_parsing import Refusal
from .judge import judge_url
from .policy_rules import Policy

Redirected: TypeAlias = Result[Target, BadRedirect | UrlDenied]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HIDDEN = re.compile(f"[{HIDDEN_IN_URLS}]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def judge_redirect(source: Target, status: int, location: str, policy: Policy) -> Redirected:
    """Return where ``location`` leads from ``source``, or why we do not go there.

    It may be relative. What is no URL is a bad redirect; what the policy refuses is denied, and
    so is the way from https to http.
    """
    place = location.strip(" \t")
    fault = _fault(place)
    if fault is not None:
        return Failure(BadRedirect(status=status, reason=fault, url=redact_url(source.url)))
    judged = judge_url(_join(source, place), policy)
    if isinstance(judged, Failure):
        return Failure(_refusal(judged.failure(), source, status))
    target = judged.unwrap()
    if source.scheme == "https" and target.scheme == "http" and not policy.allow_downgrade:
        return Failure(_downgrade(target))
    return Success(target)


def _fault(place: str) -> str | None:
    """Say what is wrong with a Location before it is read as a URL."""
    if not place:
        return "the Location is blank"
    if len(place) > MAX_URL_CHARS:
        return f"the Location is longer than {MAX_URL_CHARS} characters"
    if _CONTROL.search(place):
        return "the Location has a control character"
    return "the Location has no host" if place.startswith("///") else None


def _join(source: Target, place: str) -> str:
    """Make a Location absolute; backslashes are left in, to be judged."""
    if _SCHEME.match(place):
        return _tidied(place)
    path = re.split(r"[?#]", place, maxsplit=1)[0]
    if place.startswith("//") or "\\" in path:
        return _tidied(f"{source.scheme}:{place if place.startswith('//') else '//' + place}")
    return _tidied(urljoin(source.url, place))


def _tidied(url: str) -> str:
    """Percent-encode the blanks in a path, and leave out a colon without a port.

    RFC 9110, 10.2.2, has a Location be a URI reference, which has no blank; servers send them all
    the same. The colon is allowed by RFC 3986, 3.2.3. A blank in a host stays, to be refused.
    """
    head, slashes, tail = url.partition("//")
    authority = re.split(r"[/?#]", tail, maxsplit=1)[0]
    path = _HIDDEN.sub(lambda hidden: quote(hidden[0]), tail[len(authority) :])
    return f"{head}{slashes}{authority.removesuffix(':')}{path}"


def _refusal(refusal: Refusal, source: Target, status: int) -> BadRedirect | UrlDenied:
    if isinstance(refusal, InvalidUrl):
        reason = f"the Location is not a usable URL: {refusal.reason}"
        return BadRedirect(status=status, reason=reason, url=redact_url(source.url))
    return refusal


def _downgrade(target: Target) -> UrlDenied:
    return UrlDenied(
        rule="downgrade",
        stage="parse",
        setting="policy.allow_downgrade: true",
        url=redact_url(target.url),
    )
