"""Where a request may go: URLs, names and addresses, judged without touching the network."""

from ..urls.targets import parse_target
from .addresses import Verdict, classify_address
from .credentials import carries_credentials
from .explanation import PolicyVerdict, explain
from .judge import judge_addresses, judge_connection, judge_remote, judge_target, judge_url
from .redirects import judge_redirect
from .rules import Policy, PolicySettings, make_policy

__all__ = [
    "Policy",
    "PolicySettings",
    "PolicyVerdict",
    "Verdict",
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
