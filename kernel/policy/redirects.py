"""Judge the target of a redirect like any other URL."""

import re
from typing import TypeAlias
from urllib.parse import quote, urljoin

from returns.result import Failure, Result, Success

from webseam.ports.errors import BadRedirect, InvalidUrl, UrlDenied
from webseam.ports.targets import MAX_URL_CHARS, Target
from webseam.ports.text import lazy_pattern
from webseam.ports.web import HIDDEN_IN_URLS

from ..text.redaction import redact_url
from ..urls.url_parsing import Refusal
from .judge import judge_url
from .policy_rules import Policy

Redirected: TypeAlias = Result[Target, BadRedirect | UrlDenied]

_SCHEME_PATTERN = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HIDDEN_PATTERN = lazy_pattern(f"[{HIDDEN_IN_URLS}]")
_CONTROL_PATTERN = lazy_pattern(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def judge_redirect(source: Target, status: int, location: str, policy: Policy) -> Redirected:
    """Return the target of ``location`` relative to ``source``, or why it is not followed.

    A Location that is no URL is a bad redirect. The policy may deny its target, and a change from
    https to http.
    """
    reference = location.strip(" \t")
    fault = _explain_bad_location(reference)
    if fault is not None:
        return Failure(BadRedirect(status=status, reason=fault, url=redact_url(source.url)))
    judged = judge_url(_join_location(source, reference), policy)
    if isinstance(judged, Failure):
        return Failure(_redirect_refusal(judged.failure(), source, status))
    target = judged.unwrap()
    if source.scheme == "https" and target.scheme == "http" and not policy.allow_downgrade:
        setting, url = "policy.allow_downgrade: true", redact_url(target.url)
        return Failure(UrlDenied(rule="downgrade", stage="parse", setting=setting, url=url))
    return Success(target)


def _explain_bad_location(location: str) -> str | None:
    """Return what is wrong with a Location before it is parsed as a URL, or None."""
    if not location:
        return "the Location is blank"
    if len(location) > MAX_URL_CHARS:
        return f"the Location is longer than {MAX_URL_CHARS} characters"
    if _CONTROL_PATTERN.search(location):
        return "the Location has a control character"
    return "the Location has no host" if location.startswith("///") else None


def _join_location(source: Target, location: str) -> str:
    """Make a Location absolute; keep backslashes, so that ``judge_url`` sees them."""
    if _SCHEME_PATTERN.match(location):
        return _encode_blanks(location)
    if location.startswith("//"):
        return _encode_blanks(f"{source.scheme}:{location}")
    if "\\" in re.split(r"[?#]", location, maxsplit=1)[0]:
        return _encode_blanks(f"{source.scheme}://{location}")
    return _encode_blanks(urljoin(source.url, location))


def _encode_blanks(url: str) -> str:
    """Percent-encode blanks in a path.

    RFC 9110, 10.2.2, makes a Location a URI reference, which has no blanks; servers send them
    anyway. A blank in a host stays, so that it is refused.
    """
    head, slashes, tail = url.partition("//")
    authority = re.split(r"[/?#]", tail, maxsplit=1)[0]
    path = _HIDDEN_PATTERN.sub(lambda match: quote(match[0]), tail[len(authority) :])
    return f"{head}{slashes}{authority}{path}"


def _redirect_refusal(refusal: Refusal, source: Target, status: int) -> BadRedirect | UrlDenied:
    if isinstance(refusal, InvalidUrl):
        reason = f"the Location is not a usable URL: {refusal.reason}"
        return BadRedirect(status=status, reason=reason, url=redact_url(source.url))
    return refusal
