"""What a caller can do about each kind of failure, in one sentence."""

from typing import assert_never

from ..ports import errors as e

_SETTINGS = (
    "docs/settings.md lists every setting; `webseam config show` tells where each value is from."
)
_NETWORK = (
    "Check the address, the network and the proxy; `webseam doctor --live` tries each service."
)
_LATER = "Try again later, or ask another backend: `webseam backends` lists them."


def remedy_of(error: e.WebError) -> str:  # noqa: C901, PLR0911, PLR0912  one case a remedy
    """Return what to do about ``error``; empty where its message says it all."""
    match error:
        case e.UnknownBackend() | e.UnsupportedCapability():
            return "`webseam setup` adds a service; `webseam backends` lists who can answer now."
        case e.StoreFailed(problem="missing"):
            return "`webseam index add PATH_OR_URL` makes an index of your own documents."
        case e.InvalidSetting():
            return _SETTINGS
        case e.AuthFailed():
            return _key(error.backend)
        case e.QuotaExhausted():
            return "Top up the plan, wait for its next period, or name another backend."
        case (
            e.RateLimited()
            | e.ModelOverloaded()
            | e.UpstreamUnavailable()
            | e.StoreBusy()
            | e.WaitedTooLong()
        ):
            return _LATER
        case e.NobodyAnswered():
            return "`webseam doctor --live` tries each; `webseam backends` tells who is left alone."
        case e.NothingSupported():
            return "Ask in other words, or for more pages; `webseam search` shows what there is."
        case e.StoreAway():
            return (
                "`webseam doctor` tells whether it answers; calls go on by themselves when it does."
            )
        case e.BudgetExceeded():
            return "`webseam spend` tells what was spent, and what is left of each budget."
        case (
            e.ConnectFailed()
            | e.ConnectionLost()
            | e.DeadlineExceeded()
            | e.DnsNotFound()
            | e.DnsUnavailable()
            | e.ProtocolError()
            | e.Timeout()
            | e.TlsFailed()
        ):
            return _NETWORK
        case e.EmptyContent(reason="needs_browser"):
            return 'Let a browser show it: webseam.open(settings={"render.mode": "auto"}).'
        case e.BlockedByRemote():
            return "A service that reads pages may get through: `webseam backends` lists them."
        case e.InvalidRow():
            return 'WebDeps(rows="quarantine") or webseam.open(rows="quarantine") keeps the others.'
        case e.BackendCrashed() | e.MiddlewareFailed() | e.PluginTimedOut():
            return "That is a bug in the backend or plugin named here, not in the call."
        case e.ModelNotFound() | e.UnknownProvider():
            return "`webseam models` lists the providers and what each of them needs."
        case e.ContextTooLong():
            return "Send less, or have long pages compressed: docs/compressing.md."
        case (
            # Their own words say what was wrong with the call, or nobody here can mend it.
            e.NotConfigured()
            | e.BadEncoding()
            | e.BadPayload()
            | e.BadRedirect()
            | e.CallRefused()
            | e.CompressorFailed()
            | e.ContentFiltered()
            | e.EmptyContent()
            | e.HttpStatus()
            | e.InvalidDocument()
            | e.InvalidQuery()
            | e.InvalidUrl()
            | e.Missing()
            | e.ModelFailed()
            | e.ParameterRefused()
            | e.ParseFailed()
            | e.ResponseTooLarge()
            | e.SourceUnreadable()
            | e.StoreFailed()
            | e.StructuredOutputInvalid()
            | e.TooManyRedirects()
            | e.UnsupportedContent()
            | e.UnsupportedFilter()
            | e.UrlDenied()
        ):
            return ""
        case _:
            assert_never(error)


def retry_after(error: e.WebError) -> float | None:
    """Return in how many seconds it is worth asking again, which the message says too, if known."""
    for name in ("retry_after", "again_in"):
        value: float | None = getattr(error, name, None)
        if value is not None:
            return value
    return None


def again(error: e.WebError) -> str:
    """Return whether trying again may help, where the message does not say when it does."""
    return "Trying again may help." if error.retryable and retry_after(error) is None else ""


def _key(backend: str | None) -> str:
    name = f" {backend}" if backend else ""
    return (
        f"`webseam setup{name}` tries another key; `webseam doctor{name}` tells where this is from."
    )
