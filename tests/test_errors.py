"""The closed union: what each error says, and that it survives a trip through JSON."""

from decimal import Decimal
from typing import get_args

import msgspec
import pytest

from webseam.ports import (
    AuthFailed,
    BackendCrashed,
    BadEncoding,
    BadPayload,
    BadRedirect,
    BlockedByRemote,
    BudgetExceeded,
    CallRefused,
    CheckFailed,
    CompressorFailed,
    ConnectFailed,
    ConnectionLost,
    ContentFiltered,
    ContextTooLong,
    DataRefused,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    EmptyContent,
    HttpStatus,
    InvalidDocument,
    InvalidQuery,
    InvalidRow,
    InvalidSetting,
    InvalidUrl,
    MiddlewareFailed,
    Missing,
    ModelFailed,
    ModelNotFound,
    ModelOverloaded,
    NobodyAnswered,
    NotConfigured,
    NothingSupported,
    NotStored,
    ParameterRefused,
    ParseFailed,
    PaymentFailed,
    PaymentRequired,
    PluginTimedOut,
    ProtocolError,
    QuotaExhausted,
    RateLimited,
    ResponseTooLarge,
    SourceUnreadable,
    StoreAway,
    StoreBusy,
    StoreFailed,
    StructuredOutputInvalid,
    Timeout,
    TlsFailed,
    TooManyRedirects,
    TooOld,
    UnknownBackend,
    UnknownProvider,
    UnsupportedCapability,
    UnsupportedContent,
    UnsupportedFilter,
    UpstreamUnavailable,
    UrlDenied,
    UrlNotSeen,
    WaitedTooLong,
    WebError,
)
from webseam.ports.attempts import BackendAttempt
from webseam.ports.data import RefusedField
from webseam.ports.errors.error_fields import ErrorFields

SAYINGS: list[tuple[WebError, bool, str]] = [
    (AuthFailed(backend="b", status=401), False, "b refused the key (401)."),
    (AuthFailed(status=403, detail="no"), False, "the backend refused the key (403): no."),
    (BackendCrashed(backend="b", error="ValueError"), False, "b crashed: ValueError."),
    (BackendCrashed(error="E", where="x.py:3"), False, "the backend crashed: E at x.py:3."),
    (BadEncoding(backend="b", reason="cut short"), False, "The answer of b could not be decompressed: “cut short”."),
    (BadPayload(backend="b", problem="content_type"), False, "b did not send JSON ($)."),
    (BadPayload(backend="b", problem="not_json", detail="x"), False, "b sent JSON that cannot be read ($): x."),
    (BadPayload(backend="b", problem="shape", path="$.r"), False, "b sent JSON of an unexpected shape ($.r)."),
    (BadPayload(backend="b", problem="error_object"), False, "b reported an error with a success status ($)."),
    (BudgetExceeded(backend="b", budget="2026-01", cap=5.0, remaining=0.001, price=0.005, setting="budgets.month"), False, "b was not asked: it may cost $0.005, and $0.001 of $5.00 remain for 2026-01. To spend more, raise budgets.month."),
    (NobodyAnswered(), True, "No backend answered: none was asked."),
    (NobodyAnswered(attempts=(BackendAttempt(backend="a", outcome="unsupported_filter"),), filters={"language": "'tlh'", "topic": ""}, retryable=False), False, "No backend answered: a (unsupported_filter). Some cannot filter by language 'tlh', topic."),
    (NobodyAnswered(attempts=(BackendAttempt(backend="a", outcome="dns_not_found"), BackendAttempt(backend="b", outcome="connect_failed"))), True, "This machine seems to have no network: none of a, b could be reached."),
    (NobodyAnswered(setting="budgets.day", resting=("b",)), True, "No backend answered: b (resting after failures). To spend more, raise budgets.day."),
    (NobodyAnswered(attempts=(BackendAttempt(backend="a", outcome="timeout"),), resting=("b",), again_in=2.5), True, "No backend answered: a (timeout), b (resting after failures). Try again in 2.5 s."),
    (DataRefused(required=("servings",), refused={"servings": RefusedField(reason="not_visible")}), False, "The page does not prove what is required: servings (not visible)."),
    (NothingSupported(reason="no_results"), False, "No claim could be verified against the pages: the search found nothing."),
    (NothingSupported(reason="no_pages", tried=("https://a.example/ (timeout)",)), False, "No claim could be verified against the pages: none of the pages could be read: “https://a.example/ (timeout)”."),
    (WaitedTooLong(waited=30.0), True, "All backends were busy with other calls for 30 s."),
    (BlockedByRemote(), False, "The site shows a bot check instead of the page."),
    (CallRefused(by="budget", reason="enough for today"), False, "Refused by budget: “enough for today”."),
    (PluginTimedOut(plugin="p", stage="pre_tool_call", seconds=60.0), False, "The plugin p took longer than 60 s in pre_tool_call. plugins.timeout sets how long a callback may take."),
    (MiddlewareFailed(plugin="p", stage="tool_request", error="ValueError"), False, "The plugin p failed in tool_request: ValueError."),
    (MiddlewareFailed(plugin="p", stage="tool_execution", error="E", detail="no.", where="p.py:3", cause="timeout"), False, "The plugin p failed in tool_execution after timeout: E at p.py:3: no."),
    (EmptyContent(backend="b", reason="no_answer", detail="reasoning: hm"), False, "The model of b answered nothing: “reasoning: hm”."),
    (EmptyContent(reason="no_heading"), False, "The model's answer is short and has no heading, so it is not the page."),
    (EmptyContent(reason="needs_browser"), False, "The page has no text of its own; it needs a browser."),
    (ParseFailed(reason="encrypted"), False, "The page could not be converted: it needs a password."),
    (ParseFailed(reason="corrupt", detail="it is not a whole PDF"), False, "The page could not be converted: “it is not a whole PDF”."),
    (ParseFailed(reason="corrupt"), False, "The page could not be converted: the file is damaged or incomplete."),
    (TooManyRedirects(hops=5), False, "The page redirects more than 5 times."),
    (TooManyRedirects(hops=2, circle=True), False, "The page redirects in a circle."),
    (UnsupportedContent(content_type="image/png"), False, "This is image/png, not a page that can be read."),
    (UrlDenied(rule="metadata", stage="address"), False, "This URL is not fetched: its host serves a machine's own credentials."),
    (UrlDenied(rule="port", stage="parse", setting="ports: [81]", hop=1), False, "The page redirects to a URL that is not fetched: its port is not one that web pages are served from. To allow it, set “ports: [81]”."),
    (EmptyContent(reason="scan"), False, "The PDF has pictures and no text; a vision model or tesseract can read it."),
    (UrlNotSeen(), False, "This URL is not fetched: it stood in no result, page or list of this session, and policy.follow is seen."),
    (UrlNotSeen(forgotten=3), False, "This URL is not fetched: it stood in no result, page or list of this session (3 older ones were forgotten), and policy.follow is seen."),
    (NotStored(), False, "The cache has no answer to this call, and policy.follow is cache."),
    (BadRedirect(backend="b", status=302, reason="no"), False, "b redirects (302): no."),
    (CompressorFailed(reason="empty"), False, "The page could not be compressed: empty."),
    (CompressorFailed(reason="crashed", detail="E"), False, "The page could not be compressed: crashed: E."),
    (ConnectFailed(backend="b"), True, "b could not be reached."),
    (ConnectFailed(backend="b", reason="no way"), True, "b could not be reached: “no way”."),
    (ConnectionLost(backend="b"), True, "The connection to b broke before the answer was complete."),
    (DeadlineExceeded(backend="b", deadline=30.0), False, "Gave up on b after 30 s."),
    (DnsNotFound(host="h"), False, "No such host: h."),
    (DnsUnavailable(host="h"), True, "The name server did not answer for h."),
    (HttpStatus(backend="b", status=404), False, "b answered 404 (not found)."),
    (HttpStatus(backend="b", status=418, detail="x"), False, "b answered 418: x."),
    (HttpStatus(backend="pages", url="https://a.example/x", status=410), False, "a.example answered 410 (gone)."),
    (HttpStatus(backend="pages", status=418), False, "pages answered 418."),
    (InvalidDocument(backend="b", field="url", reason="is missing"), False, "The page from b is not usable: url: “is missing”."),
    (InvalidQuery(field="query", reason="is blank"), False, "query: is blank."),
    (InvalidRow(backend="b", index=3, field="url", reason="is bad"), False, "Row 3 of b is not usable: url: “is bad”."),
    (InvalidSetting(setting="s", place="f:3", reason="is no number"), False, "f:3: s: is no number."),
    (InvalidSetting(setting="serve.host", place="argument serve.host", reason="is no name"), False, "argument serve.host: is no name."),
    (InvalidUrl(reason="it is blank"), False, "Not a usable URL: it is blank."),
    (UnknownBackend(name="x"), False, "There is no backend 'x'."),
    (UnknownBackend(name="brvae", near="brave", place="config.yaml:2"), False, "config.yaml:2: There is no backend 'brvae'. Did you mean brave?"),
    (UnknownBackend(name="x", capable=("a", "b")), False, "There is no backend 'x'. There are: a, b."),
    (StructuredOutputInvalid(backend="b", reason="no JSON"), False, "The answer of b is not of the type asked for: “no JSON”."),
    (Missing(backend="b"), False, "The answer of b does not contain this page."),
    (UnsupportedFilter(backends=("a", "b"), filters=("language", "topic"), values={"language": "'tlh'"}, beside=("country",), needs=("topic",)), False, "None of a, b can filter by language 'tlh', topic together with country without topic."),
    (UnsupportedFilter(backend="b", filters=("country", "topic")), False, "b cannot filter by country, topic."),
    (CallRefused(by="p", reason="no!"), False, "Refused by p: “no!”."),
    (NotConfigured(reason="b has no key", settings=("B_KEY",)), False, "b has no key. Set B_KEY."),
    (NotConfigured(reason="b has no key", settings=("B_KEY", "B_TOKEN")), False, "b has no key. Set B_KEY or B_TOKEN."),
    (NotConfigured(reason="Nothing is set up", remedy="Run `webseam setup`."), False, "Nothing is set up. Run `webseam setup`."),
    (NotConfigured(reason="Nothing is set up"), False, "Nothing is set up."),
    (ProtocolError(backend="b"), False, "The answer of b is not valid HTTP."),
    (QuotaExhausted(backend="b", status=402), False, "The plan's credits at b are used up."),
    (
        TooOld(age=61.2, max_age=60.0, cause="timeout"),
        False,
        "The stored answer is 61 s old, more than 60 s, and no fresh one could be had (timeout).",
    ),
    (PaymentRequired(backend="b"), False, "b asks for a payment."),
    (
        PaymentRequired(backend="b", amount=Decimal("0.01"), currency="USD", payee="p"),
        False,
        "b asks for a payment of 0.01 USD to p.",
    ),
    (
        PaymentRequired(amount=Decimal(7), currency="0xA", network="eip155:1", detail="pay!"),
        False,
        "the backend asks for a payment of 7 0xA on eip155:1: “pay!”.",
    ),
    (
        PaymentRequired(payee="p", unpaid="no plugin that pays is enabled"),
        False,
        "the backend asks for a payment to p. Nothing was paid: no plugin that pays is enabled.",
    ),
    (
        PaymentFailed(paid="1 USD to p", cause="timeout"),
        False,
        "A payment of “1 USD to p” brought no page (timeout); it is spent.",
    ),
    (
        PaymentFailed(paid="1 USD to p", cause="payment_required", asked="2 USD to q"),
        False,
        "A payment of “1 USD to p” brought no page (payment_required); it is spent. Now the site asks for “2 USD to q”.",
    ),
    (RateLimited(backend="b"), True, "b asks to slow down."),
    (RateLimited(backend="b", retry_after=1.5), True, "b asks to slow down; try again in 1.5 s."),
    (ResponseTooLarge(backend="b", what="body", limit=9), False, "The answer of b is larger than 9 bytes (body)."),
    (StoreFailed(store="keys", reason="", problem="missing"), False, "There are no keys yet."),
    (StoreFailed(store="texts", reason="no space left on device"), False, "The store of texts cannot be used: no space left on device."),
    (SourceUnreadable(reason="it is empty"), False, "Not readable: it is empty."),
    (StoreAway(store="keys", setting="stores.postgres"), True, "The store of keys is unavailable: its server does not answer or denies access. Its address is set by stores.postgres."),
    (StoreBusy(store="index", waited=60.0), True, "Another process held the store of index for 60 s."),
    (StoreFailed(store="index", reason="it is foreign", problem="foreign", setting="WEBSEAM_INDEX"), False, "The store of index cannot be used: it is foreign. Its location is set by WEBSEAM_INDEX."),
    (Timeout(backend="b", phase="headers"), True, "No answer from b (headers)."),
    (Timeout(backend="b", phase="body", limit=10.0), True, "No answer from b within 10 s (body)."),
    (TlsFailed(backend="b"), False, "No secure connection to b."),
    (TlsFailed(backend="b", reason="expired"), False, "No secure connection to b: expired."),
    (CheckFailed(problem="Search does not work."), False, "Search does not work."),
    (UnknownProvider(name="grog"), False, "No provider of models is called 'grog'."),
    (UnknownProvider(name="grog", near=("groq", "grok")), False, "No provider of models is called 'grog'. Did you mean groq?"),
    (UnsupportedCapability(backend="b", capability="search"), False, "b cannot search."),
    (UnsupportedCapability(backend="b", capability="extract"), False, "b is search-only and cannot extract."),
    (UnsupportedCapability(backend="b", capability="extract", capable=("c", "d")), False, "b is search-only and cannot extract. These can: c, d."),
    (UpstreamUnavailable(backend="b", status=503), True, "b answered 503."),
    (UpstreamUnavailable(backend="b", status=503, retry_after=2.0, detail="x"), True, "b answered 503; try again in 2 s: x."),
    (ContentFiltered(backend="b"), False, "The content filter of b refused the request."),
    (ContextTooLong(backend="b", detail="9 > 8"), False, "The conversation is too long for the model of b: “9 > 8”."),
    (ModelFailed(backend="b", code="server_error"), True, "The model of b failed (server_error)."),
    (ModelNotFound(backend="b", model="m"), False, "b has no model 'm'."),
    (ParameterRefused(backend="b", parameter="stop"), False, "The model of b does not take 'stop'."),
    (ModelOverloaded(backend="b"), True, "The model of b is overloaded."),
    (ModelOverloaded(backend="b", retry_after=2.0, detail="x"), True, "The model of b is overloaded; try again in 2 s: x."),
]  # fmt: skip


def test_an_error_says_what_happened_and_whether_to_try_again() -> None:
    said = [(error, error.retryable, error.message) for error, _, _ in SAYINGS]

    assert [row for row in zip(said, SAYINGS, strict=True) if row[0] != row[1]] == []


def test_an_error_survives_a_trip_through_json() -> None:
    for error, _, _ in SAYINGS:
        encoded = msgspec.json.encode(error)

        assert msgspec.json.decode(encoded, type=WebError) == error
        assert msgspec.json.decode(encoded)["kind"] == error.kind


def test_every_kind_of_the_union_is_in_the_table_above_under_a_name_of_its_own() -> None:
    kinds = {type(error) for error, _, _ in SAYINGS}

    assert kinds == set(get_args(WebError))
    assert len({error.kind for error, _, _ in SAYINGS}) == len(kinds)


def test_a_kind_is_its_class_name_in_small_letters() -> None:
    for error, _, _ in SAYINGS:
        assert error.kind.replace("_", "") == type(error).__name__.lower()


def test_a_route_refuses_in_the_way_that_all_its_attempts_failed() -> None:
    refusals = {
        ("rate_limited", "rate_limited"): "rate",
        ("timeout", "deadline_exceeded"): "deadline",
        ("timeout", "rate_limited"): "backend",
        (): "backend",
    }

    for outcomes, refusal in refusals.items():
        attempts = tuple(BackendAttempt(backend="a", outcome=outcome) for outcome in outcomes)
        assert NobodyAnswered(attempts=attempts).facts.refusal == refusal, outcomes


def test_backend_that_rests_says_why() -> None:
    limited = NobodyAnswered(resting=("a",), causes={"a": "limit"}, again_in=9.0)
    refused = NobodyAnswered(resting=("a",), causes={"a": "quota"})

    assert limited.message == (
        "No backend answered: a (resting: it asked to slow down). Try again in 9 s."
    )
    assert refused.message == "No backend answered: a (resting: its plan is used up)."
    assert (limited.facts.refusal, refused.facts.refusal) == ("rate", "backend")


def test_a_store_that_does_not_exist_yet_is_not_configured() -> None:
    assert (
        StoreFailed(store="pages", reason="no file", problem="missing").facts.exit
        == "not_configured"
    )
    assert StoreFailed(store="pages", reason="no file").facts.exit == "backend_failed"


def test_a_kind_without_facts_cannot_be_defined() -> None:
    with pytest.raises(TypeError, match="Vague has no facts"):
        type("Vague", (ErrorFields,), {})
