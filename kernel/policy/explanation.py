"""Explain a verdict: may a URL be fetched, which rule decides, which setting would change it."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from returns.result import Failure, Result

from webseam.ports.errors import DenialStage, UrlDenied
from webseam.ports.targets import Target

from ..text.redaction import redact_url
from ..urls.url_parsing import Refusal
from .judge import carries_credentials, judge_addresses, judge_fetch
from .policy_rules import Policy


class PolicyVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The policy's verdict on one URL.

    ``stage`` is the last stage reached. ``setting`` would allow a denied URL. ``third_parties``
    tells whether the URL may be sent to a remote service.
    """

    verdict: Literal["allow", "deny"]
    url: str
    rule: str | None
    stage: DenialStage
    setting: str | None
    message: str
    third_parties: bool


def explain(url: str, policy: Policy, addresses: Sequence[str] = ()) -> PolicyVerdict:
    """Judge ``url``, and the ``addresses`` of its name if they are given. Sends nothing.

    >>> explain("http://localhost/", Policy()).setting
    'policy.allow_hosts: [localhost]'
    """
    target = judge_url_and_addresses(url, policy, addresses)
    if isinstance(target, Failure):
        return _denied_verdict(target.failure())
    return _allowed_verdict(target.unwrap(), policy, answered=bool(addresses))


def judge_url_and_addresses(
    url: str, policy: Policy, addresses: Sequence[str]
) -> Result[Target, Refusal]:
    """Judge ``url`` and the ``addresses`` of its name; return the first refusal."""
    judged = judge_fetch(url, policy)
    if isinstance(judged, Failure):
        return judged
    answered = judge_addresses(judged.unwrap(), addresses, policy)
    return Failure(answered.failure()) if isinstance(answered, Failure) else judged


def _denied_verdict(refusal: Refusal) -> PolicyVerdict:
    denied = refusal if isinstance(refusal, UrlDenied) else None
    return PolicyVerdict(
        verdict="deny",
        url=refusal.url or "",
        rule="invalid_url" if denied is None else denied.rule,
        stage="parse" if denied is None else denied.stage,
        setting=None if denied is None else denied.setting,
        message=refusal.message,
        third_parties=False,
    )


def _allowed_verdict(target: Target, policy: Policy, *, answered: bool) -> PolicyVerdict:
    may_share = policy.allow_credential_urls or not carries_credentials(target.asked)
    stage: DenialStage = "dns" if answered else "parse"
    note = "" if may_share else " It carries a key or a signature, so no remote service gets it."
    return PolicyVerdict(
        verdict="allow",
        url=redact_url(target.url),
        rule=None,
        stage="address" if target.literal else stage,
        setting=None,
        message=f"This URL may be fetched.{note}",
        third_parties=may_share,
    )
