"""The guarded fetcher, put together from the policy and the machine's own parts."""

import random
import ssl
import time
from functools import partial

from ..adapters.pages.fetch import FetchDeps, Fetcher, FetchLimits, Guard, Resolve, system_resolve
from ..kernel.planner.retry import retry_delay
from ..kernel.policy import Policy, judge_addresses, judge_connection, judge_redirect, judge_url
from ..kernel.text.redaction import redact_url
from ..ports.errors import WebError


def make_fetcher(
    policy: Policy,
    limits: FetchLimits | None = None,
    *,
    resolve: Resolve = system_resolve,
    context: ssl.SSLContext | None = None,
    user_agent: str = "webseam",
) -> Fetcher:
    """Return a fetcher that goes where ``policy`` allows, and nowhere else."""
    return Fetcher(
        FetchDeps(
            guard=make_guard(policy),
            resolve=resolve,
            now=time.time,
            retry=_retry,
            limits=limits or FetchLimits(),
            context=context,
            user_agent=user_agent,
            proxy=policy.proxy,
        )
    )


def _retry(error: WebError, attempt: int) -> float | None:
    return retry_delay(error, attempt, random.random())  # noqa: S311  to spread, not to hide


def make_guard(policy: Policy) -> Guard:
    """Return the kernel's verdicts under one policy, as the functions a fetcher asks."""
    return Guard(
        judge_url=partial(judge_url, policy=policy),
        judge_addresses=partial(judge_addresses, policy=policy),
        judge_connection=partial(judge_connection, policy=policy),
        judge_redirect=partial(judge_redirect, policy=policy),
        redact_url=redact_url,
    )
