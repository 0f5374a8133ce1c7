"""Set up: show the settings, and where each came from."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import argparse
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace
from returns.result import Failure

from webseam.adapters.services.declaration import Service
from webseam.composition.settings.checks import known_setting_keys, policy_of, setting_value
from webseam.composition.settings.entries import (
    KeyPath,
    is_secret_setting,
    redact_setting_value,
    setting_path_text,
)
from webseam.composition.settings.file_locations import FileLocations, is_regular_file
from webseam.composition.settings.json_endpoints import (
    BACKEND_NAME,
    Endpoints,
    given_json_endpoints,
    read_json_endpoints,
)
from webseam.composition.settings.json_services import custom_json_services
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import Settings
from webseam.composition.settings.services import (
    BASE_URL_OPTION,
    NUMBER_OPTIONS,
    PLAIN_HTTP_OPTION,
    ServiceSettings,
    check_service_names,
    find_option_entry,
    service_numbers,
    service_settings,
)
from webseam.composition.settings.site_settings import page_signer, site_settings
from webseam.composition.terminal import styled_lines
from webseam.composition.terminal.argument_parser import Parser, add_subcommands, run_subcommand
from webseam.composition.terminal.exit_codes import DONE, NOT_CONFIGURED
from webseam.composition.terminal.output import (
    print_data,
    print_json,
    printable_utf8,
    unwrap_or_exit,
)
from webseam.composition.terminal.terminal_look import TerminalLook, read_terminal_look
from webseam.kernel.envelopes import failure_envelope
from webseam.kernel.policy.trust import Origin
from webseam.kernel.text.display import one_line, strip_hidden
from webseam.kernel.text.redaction import MASK, redact
from webseam.ports.errors import InvalidSetting
from webseam.ports.secrets import Secret

_MAX_VALUE_WIDTH = 60
_NO_SERVICE_SETTINGS = ServiceSettings(accesses=())


def run(arguments: Sequence[str]) -> int:
    """Print the settings, or the path of their file; return the exit code."""
    return run_subcommand(command_line(), arguments)


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam config",
        example="show",
        with_json=False,
        description="The settings, and where each of them came from.",
        hints={
            "get": "type webseam config show",
            "set": "type webseam setup NAME --set OPTION=VALUE",
            "edit": "webseam config path prints the file to edit",
        },
    )
    actions = (
        ("show", "show the settings that differ from their defaults", _print_config),
        ("path", "print where the settings file is, or would be", _print_path),
    )
    show = add_subcommands(parser, actions)["show"]
    show.add_argument("--all", action="store_true", help="also the settings that are defaults")
    return parser


def _print_path(options: argparse.Namespace) -> int:
    file = FileLocations().config_file
    data = {"file": str(file), "exists": is_regular_file(file)}
    return print_data(data, str(printable_utf8(str(file))), options)


def _print_config(options: argparse.Namespace) -> int:
    settings = unwrap_or_exit(load_settings(os.environ), options)
    from webseam.composition.wiring.backend_rows import feature_backends
    from webseam.composition.wiring.service_backends import (
        installed_services,
    )  # only this action needs them

    models = {name for source in feature_backends() for name in source.installed()}
    shown = build_config_overview(settings, installed_services(), models)
    if options.json:
        first = next(iter(shown.problems), None)
        envelope = {"success": True} if first is None else failure_envelope(first)
        print_json({**envelope, "data": _overview_data(settings, shown)}, first)
    else:
        rows = [row for row in shown.settings if options.all or row.origin.layer != "default"]
        print("\n".join(_overview_lines(settings, rows)))
        if not options.all:
            defaults = len(shown.settings) - len(rows)
            rest = "settings have their defaults; webseam config show --all lists them."
            styled_lines.print_wrapped_lines([f"{defaults} {rest}"])
        for sentence in (*settings.warnings, *(problem.message for problem in shown.problems)):
            print(f"webseam: {one_line(sentence)}", file=sys.stderr)
    return NOT_CONFIGURED if shown.problems else DONE


def _overview_data(settings: Settings, shown: "Overview") -> dict[str, object]:
    return {
        "file": settings.file,
        "exists": is_regular_file(FileLocations().config_file),
        "settings": msgspec.to_builtins(shown.settings),
        "problems": [
            {**msgspec.to_builtins(problem), "message": problem.message}
            for problem in shown.problems
        ],
        "warnings": list(settings.warnings),
        "folder": msgspec.to_builtins(settings.folder),
    }


def _overview_lines(settings: Settings, rows: "Sequence[ShownSetting]") -> Iterator[str]:
    note = "" if is_regular_file(FileLocations().config_file) else " (not there)"
    pairs = [(f"{row.key}: {_value_text(row.value)}", str(row.origin)) for row in rows]
    look = read_terminal_look(sys.stdout)
    # Leave room for the most common origin, "default".
    room = look.width - len("  default") if look.person else _MAX_VALUE_WIDTH
    width = min(max((len(line) for line, _ in pairs), default=0), _MAX_VALUE_WIDTH, room)
    yield from styled_lines.labelled_lines(
        "settings file:", strip_hidden(f"{settings.file}{note}"), look
    )
    yield ""
    for setting, origin in pairs:
        yield from _setting_lines(strip_hidden(setting), strip_hidden(origin), width, look)
    yield from settings.folder.lines


def _setting_lines(setting: str, origin: str, width: int, look: TerminalLook) -> Iterator[str]:
    """Yield a setting and its origin: on one line if both fit, else on two."""
    line = f"{setting:<{width}}  {origin}"
    if not look.person or styled_lines.display_width(line) <= look.width:
        yield line
    else:
        yield from styled_lines.hanging_lines([styled_lines.Span(setting)], look, hang=2)
        yield from styled_lines.hanging_lines([styled_lines.Span(origin)], look, indent=2)


def _value_text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(_value_text, value)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(str(value))


class ShownSetting(msgspec.Struct, frozen=True, kw_only=True):
    """One setting: its name, its value as it may be shown, and its origin."""

    key: str
    value: object
    origin: Origin


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """All settings and their problems."""

    settings: tuple[ShownSetting, ...]
    problems: tuple[InvalidSetting, ...] = ()


def build_config_overview(
    settings: Settings, installed: Mapping[str, Service], search_models: Collection[str]
) -> Overview:
    """Return every setting with a fixed name, and every other setting that has a value.

    ``search_models`` are the names of the models that can search.
    """
    described = custom_json_services(settings, installed)
    user_services = {name: custom.service for name, custom in described.value_or({}).items()}
    services = {**installed, **user_services}
    rows = [
        *_schema_rows(settings),
        *_block_rows(settings),
        *_option_rows(settings, (*services, *search_models, BACKEND_NAME)),
        *_service_rows(settings, services, user_services),
    ]
    secrets = tuple(_secrets(settings, services))
    # A later row wins: a variable overrides the file.
    shown = {row.key: row for row in rows}.values()
    problems = [described.failure()] if isinstance(described, Failure) else []
    return Overview(
        settings=tuple(replace(row, value=_redact_value(row.value, secrets)) for row in shown),
        problems=(*problems, *_setting_problems(settings, services, search_models)),
    )


def _schema_rows(settings: Settings) -> Iterator[ShownSetting]:
    for path in known_setting_keys():
        value = setting_value(settings, path)
        if isinstance(value, Secret):
            value = MASK if value else None
        elif isinstance(value, tuple):
            value = list(value)
        yield _setting_row(path, value, settings.entries.origin(path))


def _service_rows(
    settings: Settings, services: Mapping[str, Service], user_services: Collection[str]
) -> Iterator[ShownSetting]:
    for service in services.values():
        values = service_settings(service, settings).value_or(_NO_SERVICE_SETTINGS)
        for name, origin in values.origins.items():
            if origin.layer != "default":
                value = _service_value(service, values, name)
                block = "json" if service.name in user_services else "services"
                yield _setting_row((block, service.name, name), value, origin)


def _service_value(service: Service, values: ServiceSettings, name: str) -> object:
    if name == BASE_URL_OPTION:
        return values.accesses[0].base_url
    if name not in service.secret_options():
        return values.accesses[0].value(name)
    several = len({access.value(name) for access in values.accesses})
    return [MASK] * several if several > 1 else MASK


def _block_rows(settings: Settings) -> Iterator[ShownSetting]:
    """Yield what a file says of services, providers and sites, and addresses of the JSON API."""
    names = ("services", "providers", "json", "sites")
    blocks = {name: settings.entries.entries_below((name,)) for name in names}
    entries = {(name, *rest): entry for name in blocks for rest, entry in blocks[name].items()}
    entries |= {
        ("services", BACKEND_NAME, name): entry
        for name, entry in given_json_endpoints(settings).items()
    }
    for path, entry in entries.items():
        yield _setting_row(
            path, redact_setting_value(entry.value, secret=is_secret_setting(path)), entry.origin
        )


def _option_rows(settings: Settings, names: Collection[str]) -> Iterator[ShownSetting]:
    """Yield the options that every backend has and that a variable may set."""
    for name in names:
        for option in (*NUMBER_OPTIONS, PLAIN_HTTP_OPTION):
            if (entry := find_option_entry(name, option, (), settings)) is not None:
                block = "json" if settings.entries.get(("json", name, option)) else "services"
                yield _setting_row((block, name, option), entry.value, entry.origin)


def _setting_row(path: KeyPath, value: object, origin: Origin) -> ShownSetting:
    return ShownSetting(key=setting_path_text(path), value=value, origin=origin)


def _secrets(settings: Settings, services: Mapping[str, Service]) -> Iterator[str]:
    """Yield every secret, so that it can be masked in other values too."""
    yield settings.custom_api_key.reveal()
    yield read_json_endpoints(settings).value_or(Endpoints()).key
    for path, entry in settings.entries:
        if is_secret_setting(path):
            yield from entry.texts
    for service in services.values():
        values = service_settings(service, settings).value_or(_NO_SERVICE_SETTINGS)
        for access in values.accesses:
            yield from (access.value(name) for name in service.secret_options())


def _redact_value(value: object, secrets: tuple[str, ...]) -> object:
    if isinstance(value, str) and value != MASK:
        return redact(value, secrets)
    return [_redact_value(item, secrets) for item in value] if isinstance(value, list) else value


def _setting_problems(
    settings: Settings, services: Mapping[str, Service], search_models: Collection[str]
) -> Iterator[InvalidSetting]:
    checks = [
        policy_of(settings),
        site_settings(settings.entries),
        page_signer(settings),
        check_service_names(settings, (*services, *search_models, BACKEND_NAME)),
        read_json_endpoints(settings),
        *(service_settings(service, settings) for service in services.values()),
        *(service_numbers(name, settings) for name in (BACKEND_NAME, *search_models)),
    ]
    yield from (check.failure() for check in checks if isinstance(check, Failure))
