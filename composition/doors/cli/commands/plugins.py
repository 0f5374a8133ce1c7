"""Set up: list, enable, disable and describe plugins."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from returns.result import Failure, Result, Success

from webseam.composition.plugins.discovery import FoundPlugin, discover_plugins
from webseam.composition.plugins.loader import load_chosen_plugins
from webseam.composition.plugins.plugin_choice import (
    choose_plugins,
    read_plugin_choices,
    write_plugin_choices,
)
from webseam.composition.plugins.report import ChosenPlugins, PluginChoices, PluginReport
from webseam.composition.settings.file_locations import PROCESS_FILES
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.exit_codes import DONE
from webseam.composition.terminal.output import print_data, unwrap_or_exit
from webseam.composition.terminal.streams import redirect_prints
from webseam.composition.terminal.styled_lines import (
    Cell,
    Column,
    Span,
    hanging_lines,
    labelled_lines,
    table_lines,
)
from webseam.composition.terminal.terminal_look import TerminalLook, read_terminal_look
from webseam.composition.wiring.root import read_settings_root
from webseam.kernel.text.display import one_line
from webseam.ports.errors import InvalidQuery
from webseam.ports.text import nearest_name

_TABLE_WIDTH = 40


class PluginCard(msgspec.Struct, frozen=True, kw_only=True):
    """One plugin as ``webseam plugins`` shows it."""

    name: str
    state: Literal["enabled", "disabled", "broken"]
    source: str = ""
    version: str = ""
    description: str = ""
    author: str = ""
    path: str = ""
    required: bool = False
    missing_env: tuple[str, ...] = ()
    settings: dict[str, object] = {}
    middleware: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    problem: str = ""


def _make_card(
    key: str, chosen: ChosenPlugins, plugin: FoundPlugin | None, report: PluginReport | None
) -> PluginCard:
    facts: dict[str, Any] = {"name": key, "state": "disabled"}
    if plugin is not None:
        manifest = plugin.manifest
        described = ("source", "version", "description", "author", "path")
        facts |= {name: getattr(manifest, name) for name in described} | {"problem": plugin.problem}
        needed = manifest.requires_env
        facts["missing_env"] = tuple(name for name in needed if name not in os.environ)
    if report is not None:
        loaded = ("middleware", "hooks", "refusals", "problem")
        facts |= {name: getattr(report, name) for name in loaded}
        facts["state"] = "broken" if report.problem else "enabled"
    choices = chosen.choices
    settings = choices.settings.get(key, {})
    return PluginCard(required=key in choices.required, settings=settings, **facts)


def plugins_table_text(cards: Sequence[PluginCard], folder: Path) -> str:
    """Return a line for each plugin, and where to put one's own."""
    look = read_terminal_look(sys.stdout)
    rows = [
        (
            Span(card.name),
            _table_state(card, look),
            Span(one_line(card.problem or card.description, 80), "quiet"),
        )
        for card in cards
    ]
    columns = (Column("plugin"), Column("state"), Column("about"))
    # A narrow terminal leaves too few letters for a description.
    shown = 2 if look.person and look.width < _TABLE_WIDTH else 3
    table = table_lines(columns[:shown], [row[:shown] for row in rows], look)
    folder_lines = labelled_lines("Plugins of your own go into", str(folder), look)
    return "\n".join([*table, "", *folder_lines])


def _table_state(card: PluginCard, look: TerminalLook) -> Cell:
    symbols = look.symbols
    if card.state == "enabled":
        return (Span(f"{symbols.good} ", "good"), Span("enabled"))
    if card.state == "broken":
        return (Span(f"{symbols.bad} ", "bad"), Span("broken"))
    return (Span(f"{symbols.off} ", "quiet"), Span("disabled"))


def plugins_info_text(card: PluginCard) -> str:
    """Return every fact about one plugin, one a line."""
    settings = ", ".join(f"{name}={value!r}" for name, value in card.settings.items())
    facts = {
        "state": f"{card.state}, required" if card.required else card.state,
        "problem": card.problem,
        "about": card.description,
        "version": card.version,
        "author": card.author,
        "source": card.source,
        "path": card.path,
        "settings": settings,
        "middleware": ", ".join(card.middleware),
        "hooks": ", ".join(card.hooks),
        "refused": "; ".join(card.refusals),
        "not set": ", ".join(card.missing_env),
    }
    look = read_terminal_look(sys.stdout)
    lines = [
        line
        for name, fact in facts.items()
        if fact
        for line in hanging_lines([Span(f"{name}: {one_line(fact)}")], look, hang=2)
    ]
    return "\n".join([card.name, *lines])


def plugins_enable_notes(card: PluginCard) -> list[str]:
    """Return the problems of a plugin that was just enabled."""
    foreign = ", ".join(refusal.partition(":")[0] for refusal in card.refusals)
    unset = ", ".join(card.missing_env)
    consequence = " and will be left out"
    if card.required:
        command = f"webseam plugins disable {card.name}"
        consequence = f", and every call fails until you fix it or run `{command}`"
    remarks = {
        f"{card.name} is broken{consequence}: {card.problem}": card.problem,
        f"{card.name} needs {unset} in the environment": unset,
        f"{card.name} also registers what webseam does not have: {foreign}": foreign,
    }
    return [one_line(note) for note, counts in remarks.items() if counts]


class PluginShelf(msgspec.Struct, frozen=True, kw_only=True):
    """The plugins that the user chose, and those that were found."""

    chosen: ChosenPlugins
    plugins: Mapping[str, FoundPlugin]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of found and of enabled plugins, missing ones too."""
        return (*self.plugins, *self.chosen.enabled)


def run(arguments: Sequence[str]) -> int:
    """Run one of the plugin commands and return the exit code."""
    options = command_line().parse_args(arguments)
    chosen = unwrap_or_exit(read_settings_root().bind(choose_plugins), options)
    shelf = PluginShelf(chosen=chosen, plugins=discover_plugins(chosen.folder))
    return int(options.run(options, shelf))


def _run_list(options: argparse.Namespace, shelf: PluginShelf) -> int:
    cards = tuple(_load_cards(shelf.chosen, shelf.plugins).values())
    folder = shelf.chosen.folder
    data = {"folder": str(folder), "plugins": cards}
    return print_data(data, plugins_table_text(cards, folder), options)


def _run_info(options: argparse.Namespace, shelf: PluginShelf) -> int:
    name = unwrap_or_exit(_check_argument(options.name, shelf.names), options)
    card = _load_cards(shelf.chosen, shelf.plugins)[name]
    return print_data(card, plugins_info_text(card), options)


def _run_enable(options: argparse.Namespace, shelf: PluginShelf) -> int:
    name = unwrap_or_exit(_check_argument(options.name, shelf.plugins), options)
    settings, required = unwrap_or_exit(_parse_set_options(options.set), options), options.required
    chosen = _write_choice(
        options, lambda choices: choices.with_enabled(name, settings, required=required)
    )
    alone = msgspec.structs.replace(chosen.choices, enabled=(name,))
    enabled = msgspec.structs.replace(chosen, choices=alone)
    for note in plugins_enable_notes(_load_cards(enabled, shelf.plugins)[name]):
        print(f"webseam: {note}", file=sys.stderr)
    return DONE


def _load_cards(chosen: ChosenPlugins, plugins: Mapping[str, FoundPlugin]) -> dict[str, PluginCard]:
    with redirect_prints():
        reports = {report.key: report for report in load_chosen_plugins(chosen, plugins).reports}
        keys = dict.fromkeys((*chosen.enabled, *plugins))
        return {key: _make_card(key, chosen, plugins.get(key), reports.get(key)) for key in keys}


def _run_disable(options: argparse.Namespace, shelf: PluginShelf) -> int:
    name = unwrap_or_exit(_check_argument(options.name, shelf.names), options)
    _write_choice(options, lambda choices: choices.with_disabled(name))
    return DONE


def _write_choice(
    options: argparse.Namespace, change: Callable[[PluginChoices], PluginChoices]
) -> ChosenPlugins:
    """Write the choices and print the state; the settings file may still override them."""
    choices = unwrap_or_exit(read_plugin_choices(PROCESS_FILES), options)
    unwrap_or_exit(write_plugin_choices(change(choices), PROCESS_FILES), options)
    chosen = unwrap_or_exit(read_settings_root().bind(choose_plugins), options)
    runs = options.name in chosen.enabled
    text = f"{options.name} is {'enabled' if runs else 'disabled'}"
    print_data({"name": options.name, "enabled": runs}, text, options)
    if options.run is _run_enable and not runs:
        reason = f"{options.name} stays disabled: plugins.disabled in the settings names it"
        unwrap_or_exit(Failure(InvalidQuery(field="plugin", reason=reason)), options)
    return chosen


def _check_argument(name: str, plugin_names: Iterable[str]) -> Result[str, InvalidQuery]:
    names = sorted(set(plugin_names))
    if name in names:
        return Success(name)
    near = nearest_name(name, names)
    hint = f"did you mean {near}?" if near else "webseam plugins list shows them"
    return Failure(InvalidQuery(field="plugin", reason=f"there is no {name!r}; {hint}"))


def _parse_set_options(assignments: Sequence[str]) -> Result[dict[str, object], InvalidQuery]:
    """Parse ``key=value`` pairs; a value is JSON if it parses, else text."""
    settings: dict[str, object] = {}
    for pair in assignments:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            reason = f"must be KEY=VALUE, got {pair!r}"
            return Failure(InvalidQuery(field="--set", reason=reason))
        try:
            settings[key.strip()] = msgspec.json.decode(text)
        except (ValueError, RecursionError):
            settings[key.strip()] = text
    return Success(settings)


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam plugins",
        example="enable redaction",
        with_json=False,
        description="Plugins change what happens, or see what happened. Only enabled ones run.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, about, action in (
        ("list", "show all plugins and which of them run", _run_list),
        ("enable", "let a plugin run from now on", _run_enable),
        ("disable", "stop a plugin from running", _run_disable),
        ("info", "show what a plugin is and what it registers", _run_info),
    ):
        description = f"{about.capitalize()}."
        example = "" if name == "list" else "redaction"
        command = commands.add_parser(name, example=example, help=about, description=description)
        if name != "list":
            command.add_argument("name", help="the plugin's name, as the list shows it")
        command.set_defaults(run=action)
    enable = commands.choices["enable"]
    enable.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting; repeatable"
    )
    enable.add_argument(
        "--required", action="store_true", help="fail every call while it cannot be loaded"
    )
    return parser
