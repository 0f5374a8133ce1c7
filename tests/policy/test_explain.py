"""What a person who asks about a URL is told."""

from webseam.kernel.policy import Policy, PolicySettings, PolicyVerdict, explain, make_policy


def test_a_url_that_may_be_fetched_is_said_to_be_so() -> None:
    assert explain("https://Example.com", Policy()) == PolicyVerdict(
        verdict="allow",
        url="https://example.com/",
        rule=None,
        stage="parse",
        setting=None,
        message="This URL may be fetched.",
        third_parties=True,
    )


def test_the_stage_says_how_far_it_was_looked_at() -> None:
    assert explain("https://1.1.1.1/", Policy()).stage == "address"
    assert explain("https://example.com/", Policy(), ["1.1.1.1"]).stage == "dns"


def test_a_denied_url_is_told_the_rule_the_stage_and_the_way_out() -> None:
    assert explain("http://intranet/", Policy()) == PolicyVerdict(
        verdict="deny",
        url="http://intranet/",
        rule="local_name",
        stage="parse",
        setting="policy.allow_hosts: [intranet]",
        message="This URL is not fetched: its host is not a name on the public internet."
        " To allow it, set “policy.allow_hosts: [intranet]”.",
        third_parties=False,
    )


def test_invalid_url_is_denied_at_parsing() -> None:
    verdict = explain("example.com", Policy())

    assert (verdict.verdict, verdict.rule, verdict.stage) == ("deny", "invalid_url", "parse")
    assert "write it with https:// in front" in verdict.message


def test_a_url_with_credentials_is_not_for_third_parties_unless_that_is_allowed() -> None:
    url = "https://example.com/?token=abc"
    allowing = make_policy(PolicySettings(allow_credential_urls=True)).unwrap()

    verdict = explain(url, Policy())

    assert (verdict.verdict, verdict.third_parties) == ("allow", False)
    assert "no remote service gets it" in verdict.message
    assert "abc" not in f"{verdict}"
    assert explain(url, allowing).third_parties


def test_a_closed_network_denies_every_url() -> None:
    closed = make_policy(PolicySettings(follow="cache")).unwrap()

    verdict = explain("https://example.com/", closed)

    assert (verdict.verdict, verdict.rule) == ("deny", "cache_only")
    assert verdict.setting == "policy.follow: any"
