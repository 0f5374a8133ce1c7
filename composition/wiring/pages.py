"""Build the embedded page reader: policy, guarded fetcher and converter processes."""

from __future__ import annotations

import ssl
import time
from functools import partial
from typing import Protocol

import msgspec
from returns.result import Result

from webseam.adapters.call_context import current_second_look
from webseam.adapters.pages.backend import PagesBackend, TwinRules
from webseam.adapters.pages.fetch import connect
from webseam.adapters.pages.fetch.fetcher import Fetcher
from webseam.adapters.pages.fetch.user_headers import PageSigner, Sites, site_headers, site_secrets
from webseam.adapters.pages.pictures import PICTURE_TYPES, Describe, PictureConverter
from webseam.adapters.pages.settings import (
    AcceptedTypes,
    BrowserSettings,
    PagePreference,
    Rendering,
)
from webseam.adapters.pages.workers.pool import CONVERTER, Workers, converter_name
from webseam.adapters.user_agent import USER_AGENT, user_agent_with_contact
from webseam.kernel.pages import markdown_twin
from webseam.kernel.pages.usage import judge_page_usage
from webseam.kernel.policy.judge import judge_addresses, judge_connection, judge_fetch
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.policy.redirects import judge_redirect
from webseam.kernel.text.outline import page_blocks
from webseam.kernel.text.redaction import KeyEchoes, redact_url
from webseam.ports.errors import WebError
from webseam.ports.pages import Fetched

from ..feature_table import Part, load
from ..planning.metering import retry_delay_in_call
from .twin_comparison import compare_twins

__all__ = ["make_guard", "page_blocks", "pages_backend", "wire_page_fetcher"]


class PageRenderer(Protocol):
    """A browser that goes where the policy allows."""

    async def render(self, url: str, /) -> Result[Fetched, WebError]:
        """Return the page at ``url`` as HTML after its scripts ran, or why there is none."""


class MakeRenderer(Protocol):
    """Make a renderer under ``policy``. ``seconds`` replaces the time limit of a rendering."""

    def __call__(
        self, policy: Policy, browser: BrowserSettings | None, /, *, seconds: float | None
    ) -> PageRenderer:
        """Return the renderer; it starts a browser when it is used."""


RENDERER = Part[MakeRenderer]("renderer")


def wire_page_fetcher(
    policy: Policy,
    limits: connect.FetchLimits | None = None,
    *,
    resolve: connect.Resolve = connect.system_resolve,
    context: ssl.SSLContext | None = None,
    user_agent: str = USER_AGENT,
    prefer: AcceptedTypes = "html",
    sites: Sites | None = None,
    signer: PageSigner | None = None,
    pay: connect.Pay | None = None,
) -> Fetcher:
    """Return a fetcher that only opens addresses that ``policy`` allows."""
    return Fetcher(
        connect.FetchDeps(
            guard=make_guard(policy),
            resolve=resolve,
            now=time.time,
            retry=retry_delay_in_call,
            limits=limits or connect.FetchLimits(),
            context=context,
            user_agent=user_agent,
            prefer=prefer,
            proxy=policy.proxy,
            site_headers=lambda target, passed: site_headers(sites or {}, target, passed),
            signer=signer,
            pay=pay,
        )
    )


def make_guard(policy: Policy) -> connect.Guard:
    """Return the functions of the kernel that check addresses under one policy."""
    return connect.Guard(
        judge_url=partial(judge_fetch, policy=policy),
        judge_addresses=partial(judge_addresses, policy=policy),
        judge_connection=partial(judge_connection, policy=policy),
        judge_redirect=partial(judge_redirect, policy=policy),
        redact_url=redact_url,
    )


def pages_backend(
    policy: Policy | None = None,
    *,
    rendering: Rendering = "never",
    browser: BrowserSettings | None = None,
    limits: connect.FetchLimits | None = None,
    describe: Describe | None = None,
    comments: bool = False,
    walled: bool = False,
    seconds: float | None = None,
    sites: Sites | None = None,
    prefer: PagePreference = "html",
    second_look: float = 0.0,
    contact: str | None = None,
    signer: PageSigner | None = None,
    pay: connect.Pay | None = None,
) -> PagesBackend:
    """Return the backend that reads pages itself. ``aclose`` ends its worker processes.

    With ``rendering="auto"``, the local Chromium renders pages that are empty without scripts,
    with ``"always"`` every page, under the same policy. ``describe`` describes pictures.
    ``comments`` adds the comments of readers to the metadata, ``walled`` takes the text behind a
    wall that stands in the page. ``seconds`` bounds a fetch, and a rendering, in place of their own
    limits. ``sites`` has the headers and cookies of sites, which a browser does not send.
    ``prefer`` is the type that servers are asked for first; they see ``contact``, and signatures of
    ``signer``. With markdown, a version on the same origin that a page names is read, too; ``pay``
    pays for the page alone.
    ``second_look`` is the share of markdown pages that are compared with their HTML.
    """
    rules = policy or Policy()
    fetch_limits = msgspec.structs.replace(
        limits or connect.FetchLimits(), more_types=PICTURE_TYPES
    )
    if seconds is not None:
        fetch_limits = msgspec.structs.replace(fetch_limits, deadline=seconds)
    agent = user_agent_with_contact(contact)
    fetcher = partial(
        wire_page_fetcher, rules, fetch_limits, user_agent=agent, sites=sites, signer=signer
    )
    fetch = fetcher(prefer=prefer, pay=pay).fetch
    render = None
    if rendering != "never":
        render = load(RENDERER)(rules, browser, seconds=seconds).render
    workers = Workers(converter=converter_name(comments=comments, walled=walled))
    converter = PictureConverter(workers, describe)
    twins = TwinRules(
        follows=prefer == "markdown",
        looks=partial(has_second_look, share=second_look),
        find=markdown_twin.find_markdown_twin,
        join=markdown_twin.join_markdown_page,
        fetch=fetcher(prefer=prefer).fetch,
        fetch_html=fetcher(prefer="html only").fetch,
        visible=Workers(1, converter=f"{CONVERTER}_visible"),
        is_same_origin=markdown_twin.is_same_origin,
        compare=compare_twins,
    )
    backend = partial(PagesBackend, fetch, converter, render, rendering, judge_page_usage, twins)
    return backend(KeyEchoes(site_secrets(sites)).redact) if sites else backend()


def has_second_look(url: str, share: float) -> bool:
    """Tell whether the current call compares the markdown of a page with its HTML."""
    asked = current_second_look()
    return markdown_twin.is_sampled_page(url, share) if asked is None else asked
