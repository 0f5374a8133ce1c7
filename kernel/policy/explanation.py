"""A verdict for people: would a URL be fetched, which rule says so, what would change that."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from returns.result import Failure, Result

from ...ports.errors import DenialStage, UrlDenied
from ...ports.targets import Target
from ..text.redaction import redact_url
from ..urls.url_parsing import Refusal
from .judge import carries_credentials, judge_addresses, judge_url
from .policy_rules import Policy


class PolicyVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the policy says of one URL.

    ``stage`` is the last one that was reached. ``setting`` is what would allow a denied URL.
    ``third_parties`` tells whether it may be handed to a remote service.
    """

    verdict: Literal["allow", "deny"]
    url: str
    rule: str | None
    stage: DenialStage
    setting: str | None
    message: str
    third_parties: bool


def explain(url: str, policy: Policy, addresses: Sequence[str] = ()) -> PolicyVerdict:
    """Judge ``url``, and the ``addresses`` its name has if they are known. Asks nobody.

    >>> explain("http://localhost/", Policy()).setting
    'policy.allow_hosts: [localhost]'
    """
    judged = judge_url_and_addresses(url, policy, addresses)
    if isinstance(judged, Failure):
        return _deny(judged.failure())
    return _allow(judged.unwrap(), policy, answered=bool(addresses))


def judge_url_and_addresses(
    url: str, policy: Policy, addresses: Sequence[str]
) -> Result[Target, Refusal]:
    """Judge ``url`` and the ``addresses`` of its name."""
    judged = judge_url(url, policy)
    if isinstance(judged, Failure):
        return judged
    answered = judge_addresses(judged.unwrap(), addresses, policy)
    return Failure(answered.failure()) if isinstance(answered, Failure) else judged


def _deny(refusal: Refusal) -> PolicyVerdict:
    rule: str = "invalid_url"
    stage: DenialStage = "parse"
    setting = None
    if isinstance(refusal, UrlDenied):
        rule, stage, setting = refusal.rule, refusal.stage, refusal.setting
    return PolicyVerdict(
        verdict="deny",
        url=refusal.url or "",
        rule=rule,
        stage=stage,
        setting=setting,
        message=refusal.message,
        third_parties=False,
    )


def _allow(target: Target, policy: Policy, *, answered: bool) -> PolicyVerdict:
    shared = policy.allow_credential_urls or not carries_credentials(target.asked)
    stage: DenialStage = "dns" if answered else "parse"
    but = "" if shared else " It carries a key or a signature, so no remote service is told of it."
    return PolicyVerdict(
        verdict="allow",
        url=redact_url(target.url),
        rule=None,
        stage="address" if target.literal else stage,
        setting=None,
        message=f"This URL may be fetched.{but}",
        third_parties=shared,
    )
