"""Narrow a policy to some domains; the result never allows more than before."""

from collections.abc import Sequence

from msgspec.structs import replace

from .policy_rules import Policy

# RFC 2606 reserves this name, so a list of it alone allows nothing.
_NO_DOMAINS = ("invalid",)


def narrow_policy(policy: Policy, domains: Sequence[str]) -> Policy:
    """Return the policy for these domains alone; without any, the policy unchanged.

    Hosts that were allowed one by one stay allowed only inside these domains.

    >>> wide = Policy(allow_domains=("example.com",))
    >>> narrow_policy(wide, ["docs.example.com", "b.test"]).allow_domains
    ('docs.example.com',)
    """
    if not domains:
        return policy
    names = tuple(domain.lower().removeprefix("*").strip(".") for domain in domains)
    allowed = names
    if policy.allow_domains:
        below = [name for name in names if _is_in_domains(name, policy.allow_domains)]
        above = [name for name in policy.allow_domains if _is_in_domains(name, names)]
        allowed = tuple(dict.fromkeys([*below, *above]))
    hosts = policy.allow_hosts
    inside = tuple(host for host in hosts if _is_in_domains(host.rpartition(":")[0] or host, names))
    return replace(policy, allow_domains=allowed or _NO_DOMAINS, allow_hosts=inside)


def _is_in_domains(name: str, domains: Sequence[str]) -> bool:
    return any(name == domain or name.endswith(f".{domain}") for domain in domains)
