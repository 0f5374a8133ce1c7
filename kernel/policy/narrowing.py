"""A policy for somebody who may see a part of what the user may: never more than before."""

from collections.abc import Sequence

import msgspec

from .policy_rules import Policy

# No name ends so (RFC 2606), so a list of this alone lets nothing through.
_NOTHING = ("invalid",)


def narrow_policy(policy: Policy, domains: Sequence[str]) -> Policy:
    """Return the policy for these domains alone; without any, the policy as it is.

    Hosts that were opened one by one stay open only where they are in one of the domains.

    >>> wide = Policy(allow_domains=("example.com",))
    >>> narrow_policy(wide, ["docs.example.com", "b.test"]).allow_domains
    ('docs.example.com',)
    """
    if not domains:
        return policy
    wanted = tuple(domain.lower().removeprefix("*").strip(".") for domain in domains)
    both = wanted
    if policy.allow_domains:
        below = [name for name in wanted if _is_in(name, policy.allow_domains)]
        above = [name for name in policy.allow_domains if _is_in(name, wanted)]
        both = tuple(dict.fromkeys([*below, *above]))
    hosts = tuple(
        host for host in policy.allow_hosts if _is_in(host.rpartition(":")[0] or host, wanted)
    )
    return msgspec.structs.replace(policy, allow_domains=both or _NOTHING, allow_hosts=hosts)


def _is_in(name: str, domains: Sequence[str]) -> bool:
    return any(name == domain or name.endswith(f".{domain}") for domain in domains)
