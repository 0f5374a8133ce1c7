"""``webseam models``: the providers of models, and which of them are set up."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

import msgspec
from returns.result import Failure

from ....adapters.models.catalogue.registry import discover
from ....adapters.models.declaration.provider import Provider
from ....kernel.text.display import one_line
from ....kernel.text.redaction import redact_url
from ....ports.errors import InvalidQuery
from ...settings.loader import load_settings
from ...settings.schema import Settings
from ...wiring.models.clients import account_of, known_providers
from ..arguments.parser import Parser
from ..exits import DONE
from ..output import fail, say_json


class ListedProvider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider as it is shown: ``missing`` names what to set, and is empty when it is set up."""

    name: str
    title: str
    aliases: tuple[str, ...]
    api_mode: str
    base_url: str
    configured: bool
    missing: tuple[str, ...]
    model: str | None
    site: str


def run(arguments: Sequence[str]) -> int:
    """List the providers, and return the exit code."""
    options = command_line().parse_args(arguments)
    settings = load_settings()
    if isinstance(settings, Failure):
        return fail(settings.failure(), as_json=options.json)
    if options.provider is not None:
        return _list_models(options, settings.unwrap())
    return _list_providers(options, settings.unwrap())


def _list_providers(options: argparse.Namespace, settings: Settings) -> int:
    known = known_providers(settings)
    if isinstance(known, Failure):
        return fail(known.failure(), as_json=options.json)
    providers = sorted(known.unwrap().providers.values(), key=lambda each: each.name)
    rows = [_listed(each, settings) for each in providers]
    shown = [row for row in rows if row.configured or not options.configured]
    troubles = (*discover().failures, *known.unwrap().broken.values())
    warnings = [one_line(each.message) for each in troubles]
    if options.json:
        listed = {"providers": msgspec.to_builtins(shown), "warnings": warnings}
        say_json({"success": True, "data": listed})
        return DONE
    print(_table(shown) if shown else "No provider is set up.")
    if any(row.configured for row in shown):
        print("\n* is set up. A server on this machine needs no key, and may not be running.")
    for warning in warnings:
        print(f"webseam: {warning}", file=sys.stderr)
    return DONE


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam models",
        description="List the providers of models, and what each of them needs.",
    )
    parser.add_argument("provider", nargs="?", help="with --live: whose models are listed")
    parser.add_argument(
        "--live", action="store_true", help="ask the provider which models your account has"
    )
    parser.add_argument("--configured", action="store_true", help="only those that are set up")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _list_models(options: argparse.Namespace, settings: Settings) -> int:
    if not options.live:
        reason = "asks the provider for its list, which needs --live"
        return fail(InvalidQuery(field="models PROVIDER", reason=reason), as_json=options.json)
    from ...wiring.models.relevance import live_models  # noqa: PLC0415  HTTP, only when it is used

    names = asyncio.run(live_models(options.provider, settings))
    if isinstance(names, Failure):
        return fail(names.failure(), as_json=options.json)
    if options.json:
        data = {"provider": options.provider, "models": list(names.unwrap())}
        say_json({"success": True, "data": data})
    else:
        print("\n".join(map(one_line, names.unwrap())) or "It lists no models.")
    return DONE


def _listed(provider: Provider, settings: Settings) -> ListedProvider:
    account = account_of(provider, settings)
    failed = isinstance(account, Failure)
    return ListedProvider(
        name=provider.name,
        title=provider.title or provider.name,
        aliases=provider.aliases,
        api_mode=provider.api_mode,
        base_url=redact_url(provider.login.base_url if failed else account.unwrap().base_url),
        configured=not failed,
        missing=account.failure().settings if failed else (),
        model=provider.model or provider.auxiliary_model,
        site=provider.site,
    )


def _table(rows: Sequence[ListedProvider]) -> str:
    names = max(len(row.name) for row in rows)
    titles = max(len(one_line(row.title)) for row in rows)
    return "\n".join(
        f"{'*' if row.configured else ' '} {row.name:<{names}}  {one_line(row.title):<{titles}}  "
        + (one_line(row.base_url) if row.configured else f"set {' or '.join(row.missing)}")
        for row in rows
    )
