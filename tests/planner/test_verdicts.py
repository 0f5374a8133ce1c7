"""The table of failures: each kind of the union has its verdict."""

from webseam.ports import errors as e
from webseam.ports.errors.error_fields import Verdict

STOP, NEXT = Verdict(move="stop"), Verdict()
WRONG = Verdict(blames=True, billed=True)
PAGE = Verdict(billed=True)
SLOW = Verdict(blames=True, billed=True, slow=True)
GONE = Verdict(blames=True, unreached=True, opens_after=2)

CASES: list[tuple[e.WebError, Verdict]] = [
    (e.InvalidQuery(field="query", reason="x"), STOP),
    (e.InvalidUrl(reason="x"), STOP),
    (e.UrlDenied(rule="loopback", stage="parse"), STOP),
    (e.UrlDenied(rule="credentials", stage="parse"), NEXT),
    (e.CallRefused(by="x", reason="y"), STOP),
    (e.CheckFailed(problem="x"), STOP),
    (e.MiddlewareFailed(plugin="p", stage="s", error="E"), STOP),
    (e.PluginTimedOut(plugin="p", stage="s", seconds=1.0), STOP),
    (e.InvalidSetting(setting="s", place="p", reason="r"), STOP),
    (e.UnknownBackend(name="x"), STOP),
    (e.UnknownProvider(name="x"), STOP),
    (e.NobodyAnswered(), STOP),
    (e.NothingSupported(reason="no_results"), STOP),
    (e.WaitedTooLong(waited=1.0), STOP),
    (e.SourceUnreadable(reason="x"), STOP),
    (e.ContentFiltered(), STOP),
    (e.TooManyRedirects(hops=5), STOP),
    (e.NotConfigured(reason="x"), NEXT),
    (e.BudgetExceeded(budget="x", cap=1, remaining=0, price=1, setting="s"), NEXT),
    (e.UnsupportedCapability(capability="extract"), NEXT),
    (e.UnsupportedFilter(filters=("topic",)), NEXT),
    (e.StoreBusy(store="index", waited=1.0), NEXT),
    (e.StoreFailed(store="index", reason="x"), NEXT),
    (e.ContextTooLong(), NEXT),
    (e.RateLimited(), Verdict(move="here", cools="limit")),
    (e.RateLimited(retry_after=9.0), Verdict(move="here", cools="limit", wait=9.0)),
    (e.RateLimited(retry_after=7200.0), Verdict(move="here", cools="quota", wait=7200.0)),
    (e.ModelOverloaded(), Verdict(move="here", cools="load")),
    (e.QuotaExhausted(status=402), Verdict(cools="quota")),
    (e.AuthFailed(status=401), Verdict(cools="key")),
    (e.AuthFailed(status=403), Verdict(cools="forbidden")),
    (e.ModelNotFound(model="m"), Verdict(cools="model")),
    (e.ParameterRefused(parameter="p"), Verdict(cools="model")),
    (e.BadRedirect(status=302, reason="x"), Verdict(blames=True, opens_after=2)),
    (e.HttpStatus(status=404), NEXT),
    (e.HttpStatus(status=530), Verdict(blames=True)),
    (e.UpstreamUnavailable(status=503), Verdict(move="here", blames=True)),
    (e.UpstreamUnavailable(status=425), Verdict(move="once", blames=True)),
    (e.UpstreamUnavailable(status=503, retry_after=3.0), Verdict(move="here", blames=True, wait=3.0, cools="load")),
    (e.ConnectFailed(), Verdict(move="here", blames=True, unreached=True)),
    (e.DnsUnavailable(host="h"), Verdict(move="here", blames=True, unreached=True)),
    (e.DnsNotFound(host="h"), GONE),
    (e.TlsFailed(), GONE),
    (e.ConnectionLost(), Verdict(move="once", blames=True, billed=True)),
    (e.Timeout(phase="connect"), Verdict(blames=True, unreached=True)),
    (e.Timeout(phase="body"), SLOW),
    (e.DeadlineExceeded(deadline=10.0), SLOW),
    (e.ProtocolError(), WRONG),
    (e.BadEncoding(reason="x"), WRONG),
    (e.ResponseTooLarge(what="body", limit=1), WRONG),
    (e.BadPayload(problem="shape"), WRONG),
    (e.InvalidRow(index=0, field="url", reason="x"), WRONG),
    (e.InvalidDocument(field="url", reason="x"), WRONG),
    (e.BackendCrashed(error="E"), WRONG),
    (e.StructuredOutputInvalid(reason="x"), WRONG),
    (e.ModelFailed(code="x"), Verdict(move="once", blames=True, billed=True)),
    (e.Missing(), PAGE),
    (e.BlockedByRemote(), PAGE),
    (e.EmptyContent(reason="needs_browser"), PAGE),
    (e.EmptyContent(reason="soft_404"), Verdict(move="stop", billed=True)),
    (e.ParseFailed(reason="crashed"), PAGE),
    (e.UnsupportedContent(content_type="image/png"), PAGE),
    (e.CompressorFailed(reason="x"), Verdict(move="stop", billed=True)),
]  # fmt: skip


def test_each_kind_of_failure_has_its_verdict() -> None:
    for error, verdict in CASES:
        assert error.facts.verdict == verdict, error
