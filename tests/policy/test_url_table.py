"""Every URL of the tables gets the right verdict, at the right stage, for the right reason."""

import pytest
from returns.result import Failure, Success

from webseam.kernel.policy import Policy, PolicySettings, explain, judge_url, make_policy

from . import allowed_urls, denied_urls

OPEN = make_policy(
    PolicySettings(
        allow_private=("0.0.0.0/0", "::/0"),
        allow_hosts=(
            "169.254.169.254",
            "168.63.129.16",
            "metadata",
            "metadata.google.internal",
            "metadata.goog",
            "instance-data",
        ),
        fake_ip_ranges=("0.0.0.0/0", "::/0"),
        nat64="decode",
    )
).unwrap()


@pytest.mark.parametrize("group", denied_urls.ADDRESSES)
def test_an_address_that_is_not_public_is_denied_as_what_it_is(group: str) -> None:
    for url in denied_urls.ADDRESSES[group]:
        verdict = explain(url, Policy())

        assert (verdict.verdict, verdict.stage) == ("deny", "address"), url
        assert verdict.rule == group.removesuffix("-6"), url


@pytest.mark.parametrize("group", denied_urls.TEXTS)
def test_a_url_with_something_wrong_in_its_text_is_denied_when_parsed(group: str) -> None:
    for url in denied_urls.TEXTS[group]:
        verdict = explain(url, Policy())

        assert (verdict.verdict, verdict.stage) == ("deny", "parse"), url


@pytest.mark.parametrize(("url", "answers"), denied_urls.ANSWERS)
def test_a_name_with_one_bad_address_is_denied_without_telling_it(
    url: str, answers: list[str]
) -> None:
    verdict = explain(url, Policy(), answers)

    assert (verdict.verdict, verdict.stage) == ("deny", "dns")
    assert not any(answer in f"{verdict}" for answer in answers if len(answer) > 2)


@pytest.mark.parametrize("group", allowed_urls.TEXTS)
def test_an_ordinary_url_is_allowed(group: str) -> None:
    for url in allowed_urls.TEXTS[group]:
        assert isinstance(judge_url(url, Policy()), Success), url


@pytest.mark.parametrize(("url", "answers"), allowed_urls.ANSWERS)
def test_a_name_with_public_addresses_is_allowed(url: str, answers: list[str]) -> None:
    verdict = explain(url, Policy(), answers)

    assert (verdict.verdict, verdict.stage, verdict.rule) == ("allow", "dns", None)


def test_no_setting_opens_a_metadata_service() -> None:
    for url in denied_urls.ADDRESSES["metadata"] + denied_urls.TEXTS["metadata names"]:
        assert isinstance(judge_url(url, OPEN), Failure), url
        assert explain(url, OPEN).rule == "metadata", url
        assert explain(url, OPEN).setting is None, url


@pytest.mark.parametrize("group", ["schemes", "userinfo", "spelling", "brackets", "shape"])
def test_no_setting_opens_what_cannot_be_read_in_one_way(group: str) -> None:
    for url in denied_urls.TEXTS[group]:
        assert isinstance(judge_url(url, OPEN), Failure), url
