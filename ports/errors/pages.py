"""Errors of pages: URLs that are denied, and content that cannot be read."""

from typing import Literal, TypeAlias

from msgspec.structs import replace

from .error_fields import (
    NEXT,
    PAGE,
    PAID_STOP,
    STOP,
    ErrorFields,
    Facts,
    Foreign,
    detail_text,
    end_sentence,
    make_remedy,
)

_BROWSER_REMEDY = make_remedy(
    "Let a browser show it: --render auto.",
    python='Let a browser show it: webseam.open(settings={"render.mode": "auto"}).',
    http="Ask the operator of the gateway to set render.mode to auto.",
    mcp="Read another page, or tell the user that the setting render.mode lets a browser show it.",
)
_NOT_SEEN_REMEDY = make_remedy(
    "List the URL among the seeds, or set policy.follow to any.",
    "Search for the page first, and read it in the same session (the header x-session-id).",
    "Search for the page, or read a page that links to it, and then try again.",
    'List the URL: webseam.open(follow="seen", seeds=[URL]).',
)
_NOT_STORED_REMEDY = make_remedy(
    "Set policy.follow to any or seen to use the network.",
    "Ask the operator of the gateway to set policy.follow to any or seen.",
    "Use what earlier calls returned, or tell the user that policy.follow closes the network.",
)
_SCAN_REMEDY = make_remedy(
    "Choose a vision model (vision.provider, vision.model), or install tesseract.",
    "Ask the operator of the gateway for a vision model (vision.provider), or for tesseract.",
    "Tell the user that a vision model (vision.provider, vision.model) or tesseract reads scans.",
)
_GONE_REASONS = ("soft_404", "no_body")

DenialRule: TypeAlias = Literal[
    "ambiguous",
    "backslash",
    "scheme",
    "userinfo",
    "port",
    "local_name",
    "metadata",
    "loopback",
    "private",
    "link_local",
    "shared",
    "multicast",
    "documentation",
    "reserved",
    "unspecified",
    "embedded",
    "self_connection",
    "denied_domain",
    "unlisted_domain",
    "downgrade",
    "credentials",
    "cache_only",
]
DenialStage: TypeAlias = Literal["parse", "address", "dns"]

_RULE_TEXTS: dict[DenialRule, str] = {
    "ambiguous": "its host can be read in more than one way",
    "backslash": "it has a backslash; write it with /",
    "scheme": "only http and https are fetched",
    "userinfo": "it carries a user name or a password",
    "port": "its port is not one that web pages are served from",
    "local_name": "its host is not a name on the public internet",
    "metadata": "its host serves a machine's own credentials",
    "loopback": "its host is this machine",
    "private": "its address is on a private network",
    "link_local": "its address is on the local link",
    "shared": "its address is inside a carrier's network",
    "multicast": "its address is for multicast",
    "documentation": "its address is reserved for documentation",
    "reserved": "its address is reserved",
    "unspecified": "its address is the unspecified one",
    "embedded": "its IPv6 address has an IPv4 address inside",
    "self_connection": "its address is one of this machine's own",
    "denied_domain": "its domain is on the deny list",
    "unlisted_domain": "its domain is not on the allow list",
    "downgrade": "it leads from https to http",
    "credentials": "it carries a key or a signature, and would go to a third party",
    "cache_only": "policy.follow is cache, which closes the network",
}
_EMPTY_TEXTS = {
    "no_body": "The document is empty.",
    "no_text": "The page has no text.",
    "needs_browser": "The page has no text of its own; it needs a browser.",
    "soft_404": "The page says that it does not exist.",
    "not_read": "The model says that it could not read the page.",
    "no_heading": "The model's answer is short and has no heading, so it is not the page.",
    "no_match": "Nothing that the page shows matches the selector.",
    "scan": "The PDF has pictures and no text; a vision model or tesseract can read it.",
}
_WALL_TEXTS = {
    "challenge": "a bot check", "login": "a login form", "consent": "a consent form",
    "paywall": "a paywall",
}  # fmt: skip
_PARSE_TEXTS = {
    "too_complex": "it is too complex",
    "out_of_time": "it took too long",
    "out_of_memory": "it took too much memory",
    "crashed": "the converter crashed",
    "corrupt": "the file is damaged or incomplete",
    "encrypted": "it needs a password",
}


class UrlDenied(ErrorFields, frozen=True, kw_only=True, tag="url_denied"):
    """The policy refuses the URL.

    ``stage`` is the last stage: the URL's text, an address in it, or an address of its name.
    ``setting`` would allow it, None if nothing does. ``hop`` counts redirects: 0 is the requested
    URL. The address of a name is never revealed.
    """

    rule: DenialRule
    stage: DenialStage
    setting: Foreign | None = None
    hop: int = 0

    usual = Facts(exit="refused", refusal="denied", verdict=STOP)

    @property
    def facts(self) -> Facts:
        """Another backend may serve a URL with a key: only third parties must not get it."""
        return replace(self.usual, verdict=NEXT) if self.rule == "credentials" else self.usual

    @property
    def reason(self) -> str:
        """The rule in words."""
        return _RULE_TEXTS[self.rule]

    def _sentence(self) -> str:
        subject = "The page redirects to a URL that" if self.hop else "This URL"
        hint = f" To allow it, set {self.setting}." if self.setting else ""
        return f"{subject} is not fetched: {self.reason}.{hint}"


class UrlNotSeen(ErrorFields, frozen=True, kw_only=True, tag="url_not_seen"):
    """``policy.follow`` is ``seen``, and the session was not shown this URL.

    ``forgotten`` counts older URLs that no longer fit into the session's memory.
    """

    forgotten: int = 0

    usual = Facts(exit="refused", refusal="denied", verdict=STOP, remedy=_NOT_SEEN_REMEDY)

    def _sentence(self) -> str:
        older = f" ({self.forgotten} older ones were forgotten)" if self.forgotten else ""
        return (
            "This URL is not fetched: it stood in no result, page or list of this session"
            f"{older}, and policy.follow is seen."
        )


class NotStored(ErrorFields, frozen=True, kw_only=True, tag="not_stored"):
    """``policy.follow`` is ``cache``, and the cache holds no answer."""

    usual = Facts(exit="refused", refusal="denied", verdict=STOP, remedy=_NOT_STORED_REMEDY)

    def _sentence(self) -> str:
        return "The cache has no answer to this call, and policy.follow is cache."


class TooOld(ErrorFields, frozen=True, kw_only=True, tag="too_old"):
    """The stored answer is older than the caller accepts, and no fresh one could be had.

    ``cause`` is the kind of the error of the new attempt.
    """

    age: float
    max_age: float
    cause: str

    usual = Facts(
        verdict=NEXT, remedy=make_remedy("Accept an older answer.", "Accept an older answer.")
    )

    def _sentence(self) -> str:
        return (
            f"The stored answer is {self.age:.0f} s old, more than {self.max_age:g} s, and no "
            f"fresh one could be had ({self.cause})."
        )


class TooManyRedirects(ErrorFields, frozen=True, kw_only=True, tag="too_many_redirects"):
    """The page redirects in a circle, or too often."""

    hops: int
    circle: bool = False

    usual = Facts(refusal="unreadable", verdict=STOP)

    def _sentence(self) -> str:
        if self.circle:
            return "The page redirects in a circle."
        return f"The page redirects more than {self.hops} times."


class UnsupportedContent(ErrorFields, frozen=True, kw_only=True, tag="unsupported_content"):
    """The content is no text, e.g. an image; ``settings`` would make it readable."""

    content_type: Foreign
    settings: tuple[str, ...] = ()

    usual = Facts(refusal="unreadable", verdict=PAGE)

    def _sentence(self) -> str:
        remedy = f" To read it, set {' and '.join(self.settings)}." if self.settings else ""
        return f"This is {self.content_type}, not a page that can be read.{remedy}"


class EmptyContent(ErrorFields, frozen=True, kw_only=True, tag="empty_content"):
    """The page has no text of its own; ``reason`` says what it is instead.

    ``no_answer`` is a model's answer without text, call or media; ``detail`` says what was there.
    """

    reason: Literal[
        "no_body",
        "no_text",
        "needs_browser",
        "soft_404",
        "not_read",
        "no_heading",
        "scan",
        "no_answer",
        "no_match",
    ] = "no_text"
    detail: Foreign = ""

    usual = Facts(refusal="unreadable", verdict=PAGE)

    @property
    def facts(self) -> Facts:
        """A missing page is missing for every backend; a browser may show the others."""
        if self.reason == "needs_browser":
            return replace(self.usual, remedy=_BROWSER_REMEDY)
        if self.reason == "scan":
            return replace(self.usual, remedy=_SCAN_REMEDY)
        return (
            replace(self.usual, verdict=PAID_STOP) if self.reason in _GONE_REASONS else self.usual
        )

    def _sentence(self) -> str:
        if self.reason == "no_answer":
            return end_sentence(f"The model of {self.who} answered nothing", self.detail)
        return _EMPTY_TEXTS[self.reason]


class BlockedByRemote(ErrorFields, frozen=True, kw_only=True, tag="blocked_by_remote"):
    """The site shows a bot check, a login, a consent form or a paywall instead of the page."""

    wall: Literal["challenge", "login", "consent", "paywall"] = "challenge"
    status: int | None = None

    usual = Facts(
        refusal="unreadable",
        verdict=PAGE,
        remedy=make_remedy(
            "A service that reads pages may get through: `webseam backends` lists them.",
            "Read another page on the subject.",
        ),
    )

    def _sentence(self) -> str:
        return f"The site shows {_WALL_TEXTS[self.wall]} instead of the page."


class ParseFailed(ErrorFields, frozen=True, kw_only=True, tag="parse_failed"):
    """The page could not be converted: it hit a limit, or the converter crashed.

    ``by_machine`` means that the machine was overloaded, so the page may be fine: the wall-clock
    limit passed, no converter could start, or something else killed it.
    """

    reason: Literal[
        "too_complex", "out_of_time", "out_of_memory", "crashed", "corrupt", "encrypted"
    ]
    detail: Foreign = ""
    by_machine: bool = False

    usual = Facts(refusal="unreadable", verdict=PAGE)

    def _sentence(self) -> str:
        has_text = self.reason == "corrupt" and self.detail
        reason = (
            self.detail if has_text else f"{_PARSE_TEXTS[self.reason]}{detail_text(self.detail)}"
        )
        return end_sentence(f"The page could not be converted: {reason}")


Kinds: TypeAlias = (
    UrlDenied
    | UrlNotSeen
    | NotStored
    | TooManyRedirects
    | TooOld
    | UnsupportedContent
    | EmptyContent
    | BlockedByRemote
    | ParseFailed
)

__all__ = [
    "BlockedByRemote",
    "DenialRule",
    "DenialStage",
    "EmptyContent",
    "NotStored",
    "ParseFailed",
    "TooManyRedirects",
    "TooOld",
    "UnsupportedContent",
    "UrlDenied",
    "UrlNotSeen",
]
