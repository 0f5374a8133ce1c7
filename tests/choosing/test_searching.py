"""What somebody is told whose search reached nobody."""

from webseam.composition.doors.cli.commands.search import offline_search_advice
from webseam.kernel.planner.selection import BackendSelection
from webseam.ports import AuthFailed, DnsNotFound, NobodyAnswered
from webseam.ports.attempts import BackendAttempt


def test_who_named_nobody_and_reached_nobody_is_told_how_to_search_without_a_network() -> None:
    keyless, named = (
        BackendSelection(name="far", reason="keyless"),
        BackendSelection(name="far", reason="named"),
    )

    assert "webseam index add" in offline_search_advice(keyless, DnsNotFound(host="h"))
    assert offline_search_advice(named, DnsNotFound(host="h")) == ""
    assert offline_search_advice(keyless, AuthFailed(status=401)) == ""
    assert offline_search_advice(keyless, None) == ""


def test_who_reached_none_of_several_is_told_so_too() -> None:
    keyless = BackendSelection(name="far", reason="keyless")
    unreached = BackendAttempt(backend="a", outcome="dns_not_found")
    refused = BackendAttempt(backend="b", outcome="auth_failed")

    assert "webseam index add" in offline_search_advice(
        keyless, NobodyAnswered(attempts=(unreached,))
    )
    assert offline_search_advice(keyless, NobodyAnswered(attempts=(unreached, refused))) == ""
