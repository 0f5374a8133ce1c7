"""Judge where a request may go, by URL, name and address, without touching the network."""

from ..urls.url_parsing import parse_target
from .address_ranges import AddressVerdict, classify_address
from .explanation import PolicyVerdict, explain
from .judge import (
    carries_credentials,
    judge_addresses,
    judge_connection,
    judge_remote,
    judge_target,
    judge_url,
)
from .policy_rules import Policy, PolicySettings, make_policy
from .redirects import judge_redirect

__all__ = [
    "AddressVerdict",
    "Policy",
    "PolicySettings",
    "PolicyVerdict",
    "carries_credentials",
    "classify_address",
    "explain",
    "judge_addresses",
    "judge_connection",
    "judge_redirect",
    "judge_remote",
    "judge_target",
    "judge_url",
    "make_policy",
    "parse_target",
]
