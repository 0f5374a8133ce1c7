"""What somebody is told whose search reached nobody."""

from webseam.composition.doors.cli.commands.search import offline_search_advice
from webseam.kernel.planner.selection import BackendSelection
from webseam.ports import AuthFailed, DnsNotFound, NobodyAnswered
from webseam.ports.attempts import BackendAttempt


def test_unreached_keyless_search_advises_the_index() -> None:
    keyless, named = (
        BackendSelection(name="far", reason="keyless"),
        BackendSelection(name="far", reason="named"),
    )

    assert "webseam index add" in offline_search_advice(keyless, DnsNotFound(host="h"))
    assert offline_search_advice(named, DnsNotFound(host="h")) == ""
    assert offline_search_advice(keyless, AuthFailed(status=401)) == ""
    assert offline_search_advice(keyless, None) == ""


def test_unreached_route_advises_the_index() -> None:
    keyless = BackendSelection(name="far", reason="keyless")
    unreached = BackendAttempt(backend="a", outcome="dns_not_found")
    refused = BackendAttempt(backend="b", outcome="auth_failed")

    assert "webseam index add" in offline_search_advice(
        keyless, NobodyAnswered(attempts=(unreached,))
    )
    assert offline_search_advice(keyless, NobodyAnswered(attempts=(unreached, refused))) == ""
