"""Set up: list the providers of models."""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from returns.result import Failure

from webseam.adapters.features.models.declaration.provider import Provider
from webseam.composition.settings.schema import Settings
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.exit_codes import DONE
from webseam.composition.terminal.output import print_data, print_error, print_json, unwrap_or_exit
from webseam.composition.terminal.styled_lines import Cell, Column, Span, fact_footer, table_lines
from webseam.composition.terminal.terminal_look import (
    MAX_NARROW_WIDTH,
    TerminalLook,
    read_terminal_look,
)
from webseam.composition.wiring.root import read_settings_root
from webseam.kernel.text.display import one_line
from webseam.kernel.text.redaction import redact_url
from webseam.ports.errors import InvalidQuery, NotConfigured

from ..clients import find_provider, known_providers, provider_account
from ..health import provider_key_origin
from ..provider_choice import answering_provider

_MIN_CHOICE_PROVIDERS = 2
_COLUMNS = (
    Column("  provider"), Column("state"), Column("model", drop=2), Column("key", drop=3),
    Column("about", drop=1), Column("address", drop=1),
)  # fmt: skip


class ListedProvider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider in the list; ``missing`` names settings to set, ``source`` the key's origin.

    One is ``configured`` with a key, or if the settings name it; ``keyless`` if it needs no key.
    """

    name: str
    title: str
    aliases: tuple[str, ...]
    api_mode: str
    base_url: str
    configured: bool
    keyless: bool
    missing: tuple[str, ...]
    model: str | None
    site: str
    source: str = ""

    @property
    def order(self) -> int:
        """The sort rank: providers with a key first, then those that need none."""
        if self.configured:
            return 0
        return 1 if self.keyless else 2


def run(arguments: Sequence[str]) -> int:
    """List the providers, and return the exit code."""
    options = command_line().parse_args(arguments)
    root = unwrap_or_exit(read_settings_root(), options)
    if options.provider is not None:
        unwrap_or_exit(find_provider(options.provider, root.settings), options)
        if not options.live:
            reason = f"add --live to ask {options.provider} which of them your account has"
            return print_error(InvalidQuery(field="models", reason=reason), as_json=options.json)
        from ..relevance import list_live_models  # noqa: PLC0415  HTTP, only when it is used

        names = unwrap_or_exit(asyncio.run(list_live_models(options.provider, root)), options)
        data = {"provider": options.provider, "models": names}
        return print_data(data, "\n".join(map(one_line, names)) or "It lists no models.", options)
    return _print_providers(options, root.settings)


def _print_providers(options: argparse.Namespace, settings: Settings) -> int:
    registry = unwrap_or_exit(known_providers(settings), options)
    answering = answering_provider(settings).value_or(None)
    first = None if answering is None else answering.name
    # The route may name another model of the provider.
    chosen = {} if answering is None else {answering.name: answering}
    providers = {**registry.providers, **chosen}.values()
    rows = [_listed_provider(provider, settings) for provider in providers]
    rows.sort(key=lambda row: (row.name != first, row.order, row.name))
    shown = [row for row in rows if row.configured or not options.configured]
    warnings = [one_line(error.message) for error in registry.broken.values()]
    if options.json:
        data = {"providers": msgspec.to_builtins(shown), "warnings": warnings, "chosen": first}
        print_json({"success": True, "data": data})
        return DONE
    look = read_terminal_look(sys.stdout)
    lines = [*_provider_lines(shown, registry.broken, first, look)]
    footer = _footer(first, sum(bool(row.source) for row in rows), look)
    print("\n".join([*(lines or ["No model is set up: webseam setup model"]), *footer]))
    for warning in warnings:
        print(f"webseam: {warning}", file=sys.stderr)
    return DONE


def _provider_lines(
    rows: Sequence[ListedProvider],
    broken: Mapping[str, NotConfigured],
    first: str | None,
    look: TerminalLook,
) -> Iterator[str]:
    cell = (Span(f"{look.symbols.bad} ", "bad"), Span("cannot be used"))
    table: list[tuple[Cell, ...]] = [(Span(f"  {name}"), cell, *[Span("")] * 4) for name in broken]
    table += [
        (
            (
                Span(f"{look.symbols.chosen} " if row.name == first else "  ", "chosen"),
                Span(row.name, "title" if row.name == first else "plain"),
            ),
            _provider_state_cell(row, look),
            Span(row.model or ""),
            Span(_provider_key_source(row, look), "quiet"),
            Span(one_line(row.title), "quiet"),
            Span(one_line(row.base_url), "quiet"),
        )
        for row in rows
    ]
    if table:
        yield from table_lines(_COLUMNS, table, look)


def _provider_state_cell(row: ListedProvider, look: TerminalLook) -> Cell:
    symbols = look.symbols
    if not row.configured and not row.keyless:
        # A narrow terminal has no key column, so name the missing setting here.
        is_narrow = look.person and look.width <= MAX_NARROW_WIDTH
        label = f"set {row.missing[0]}" if is_narrow else "not set up"
        return (Span(f"{symbols.off} ", "quiet"), Span(label))
    if row.configured:
        return (Span(f"{symbols.good} ", "good"), Span("set up"))
    # Only a request would show whether a local server runs.
    return (Span(f"{symbols.off} ", "quiet"), Span("needs no key"))


def _provider_key_source(row: ListedProvider, look: TerminalLook) -> str:
    if row.missing:
        # A terminal shows the first name; a pipe gets all names.
        return row.missing[0] if look.person else f"set {' or '.join(row.missing)}"
    return one_line(row.source) or "this machine"


def _footer(first: str | None, several: int, look: TerminalLook) -> Iterator[str]:
    if look.person:
        yield ""
        mark = f"{look.symbols.chosen} answers webseam model ask" if first else ""
        has_choice = not first and several >= _MIN_CHOICE_PROVIDERS
        choose = "choose one: webseam setup model NAME --use" if has_choice else ""
        yield from fact_footer((mark, choose, "add one: webseam setup model"), look)


def command_line() -> Parser:
    """Return the parser of ``webseam models``."""
    description = "List the providers of models, and what each of them needs."
    parser = Parser(prog="webseam models", description=description)
    parser.add_argument("provider", nargs="?", help="with --live: whose models are listed")
    parser.add_argument(
        "--live", action="store_true", help="ask the provider which models your account has"
    )
    parser.add_argument("--configured", action="store_true", help="only those that are set up")
    return parser


def _listed_provider(provider: Provider, settings: Settings) -> ListedProvider:
    account = provider_account(provider, settings)
    unset = isinstance(account, Failure)
    has_key = not unset and bool(account.unwrap().secrets())
    is_named = bool(settings.entries.entries_below(("providers", provider.name)))
    return ListedProvider(
        name=provider.name,
        title=provider.title or provider.name,
        aliases=provider.aliases,
        api_mode=provider.api_mode,
        base_url=redact_url(provider.login.base_url if unset else account.unwrap().base_url),
        configured=has_key or (is_named and not unset),
        keyless=not unset and not has_key,
        missing=account.failure().settings if unset else (),
        model=provider.model or provider.auxiliary_model,
        site=provider.site,
        source=provider_key_origin(provider, settings) if has_key else "",
    )
