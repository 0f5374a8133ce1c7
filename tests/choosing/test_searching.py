"""What somebody is told whose search reached nobody."""

from webseam.composition.wiring.backends.dead_end import what_else
from webseam.kernel.planner.selection import Choice
from webseam.ports import AuthFailed, DnsNotFound, NobodyAnswered
from webseam.ports.planning.attempts import BackendAttempt


def test_who_named_nobody_and_reached_nobody_is_told_how_to_search_without_a_network() -> None:
    keyless, named = Choice(name="far", reason="keyless"), Choice(name="far", reason="named")

    assert "webseam index add" in what_else(keyless, DnsNotFound(host="h"))
    assert what_else(named, DnsNotFound(host="h")) == ""
    assert what_else(keyless, AuthFailed(status=401)) == ""
    assert what_else(keyless, None) == ""


def test_who_reached_none_of_several_is_told_so_too() -> None:
    keyless = Choice(name="far", reason="keyless")
    unreached = BackendAttempt(backend="a", outcome="dns_not_found")
    refused = BackendAttempt(backend="b", outcome="auth_failed")

    assert "webseam index add" in what_else(keyless, NobodyAnswered(attempts=(unreached,)))
    assert what_else(keyless, NobodyAnswered(attempts=(unreached, refused))) == ""
