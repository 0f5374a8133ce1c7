"""Change the settings file: plan the values of a setup, and write them safely."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.files import write_file
from webseam.adapters.services.declaration import Service
from webseam.kernel.policy.trust import Origin
from webseam.kernel.text.display import quote_value
from webseam.kernel.urls.service_endpoints import check_endpoint_url
from webseam.ports.errors import InvalidQuery, InvalidSetting, WebError

from . import checks
from .entries import Entries, Entry, KeyPath, option_variable, setting_path_text
from .hermes_settings import OWN_BLOCK
from .parser import ParsedConfig, parse_config
from .schema import Settings
from .services import BASE_URL_OPTION
from .settings_folder import MAX_CONFIG_BYTES
from .yaml_edits import Value, set_yaml_value


def write_settings_file(
    path: Path, content: bytes, expected: bytes | None
) -> Result[None, InvalidSetting]:
    """Replace ``expected`` by ``content`` at once, also behind a link, if it is still there."""
    target = Path(os.path.realpath(path))
    try:
        written = write_file(target, content, lambda: existing_file_bytes(target) == expected)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        return settings_file_error(path, f"cannot be written: {reason}")
    if not written:
        return settings_file_error(path, "was changed by another program; try again")
    return Success(None)


def existing_file_bytes(path: Path) -> bytes | None:
    """Return the bytes of a file, or None without a file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def settings_file_error(path: Path, reason: str) -> Failure[InvalidSetting]:
    """Return the error of a settings file, ours or another program's."""
    return Failure(InvalidSetting(setting="the settings file", place=str(path), reason=reason))


Changes: TypeAlias = Mapping[KeyPath, Value]


class SetupTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A service or provider to set up: its options, and its block in the settings."""

    service: Service
    block: Literal["services", "providers"] = "services"

    def option_path(self, name: str) -> KeyPath:
        """Return an option's path: at the top for the custom search model, else in a block."""
        top_path = (f"{self.service.name}_{name}",)
        if self.block == "services" and checks.find_setting(top_path) is not None:
            return top_path
        return (self.block, self.service.name, name)

    def option_variables(self, name: str) -> tuple[str, ...]:
        """Return the variables that win over all others for an option."""
        option = next((option for option in self.service.options if option.name == name), None)
        if self.block == "providers":
            return () if option is None else option.env[:1]
        return (option_variable(self.service.name, name),)


def change_settings_file(path: Path, changes: Changes) -> Result[None, InvalidSetting]:
    """Set values in the settings file, which must be valid before and after."""
    if isinstance(before := _read_config_bytes(path), Failure):
        return before
    content = before.unwrap()
    if isinstance(parsed := _parse_config_bytes(path, content), Failure):
        return parsed
    changed = _edit_config_text(path, content, changes, hermes=parsed.unwrap().hermes)
    if isinstance(changed, Failure):
        return changed
    new_content = changed.unwrap().encode()
    after = _parse_config_bytes(path, new_content).bind(
        lambda file: _check_changed_settings(file.entries)
    )
    if isinstance(after, Failure):
        return after
    return write_settings_file(path, new_content, content)


def _check_changed_settings(entries: Mapping[KeyPath, Entry]) -> Result[Settings, InvalidSetting]:
    """Return the settings of the entries, if their policy is valid too."""
    checked = checks.check_setting_entries(entries).map(
        lambda settings: msgspec.structs.replace(settings, entries=Entries(entries))
    )
    return checked.bind(lambda settings: checks.policy_of(settings).map(lambda _: settings))


def read_setting_assignment(
    text: str, target: SetupTarget | None, read_line: Callable[[], str]
) -> Result[Changes, WebError]:
    """Parse ``key=value``, an option of ``target`` or any setting; ``-`` reads standard input.

    ``key: value`` is read as well: a settings file and a refusal write it so.
    """
    name, equals, written = text.partition("=")
    if not equals:
        name, equals, written = text.partition(": ")
    name, value = name.strip(), written.strip()
    if not equals or not name:
        return Failure(InvalidQuery(field="--set", reason="must be KEY=VALUE"))
    if value == "-" and not (value := read_line().strip()):
        reason = "no value came on standard input; --env takes it from a variable"
        return Failure(InvalidQuery(field=name, reason=reason))
    if not value:
        return Failure(InvalidQuery(field="--set", reason=f"{quote_value(name)} has no value"))
    return _setting_change(name, value) if target is None else _option_change(name, value, target)


def changed_settings(
    settings: Settings, target: SetupTarget, changes: Changes
) -> Result[Settings, InvalidSetting]:
    """Return the settings with ``changes``, which win over every variable."""
    origin = Origin(layer="file", name=settings.file)
    new_entries = {
        path: Entry(value=value, texts=_value_texts(value), origin=origin)
        for path, value in changes.items()
    }
    entries = {**dict(settings.entries), **new_entries}
    layer = {
        variable: entry
        for path, entry in new_entries.items()
        for variable in target.option_variables(path[-1])
        if path[0] in ("services", "providers")
    }
    return checks.check_setting_entries(entries).map(
        lambda checked: msgspec.structs.replace(
            checked,
            entries=Entries(entries),
            variables=settings.variables.with_layer(layer),
            file=settings.file,
        )
    )


def _value_texts(value: Value) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _option_change(name: str, value: str, target: SetupTarget) -> Result[Changes, WebError]:
    service = target.service
    names = [*(option.name for option in service.options), BASE_URL_OPTION]
    if name not in names:
        problem = f"is not an option of {service.name}; there are {', '.join(names)}"
        return Failure(InvalidQuery(field="--set", reason=f"{quote_value(name)} {problem}"))
    checked = check_endpoint_url(value, with_key=False)
    if name == BASE_URL_OPTION and isinstance(checked, Failure):
        return checked
    return Success({target.option_path(name): value})


def _setting_change(name: str, value: str) -> Result[Changes, WebError]:
    path = checks.canonical_setting_path(tuple(name.split(".")))
    if checks.find_setting(path) is None:
        reason = f"{quote_value(name)} {checks.unknown_setting_reason(path)}"
        return Failure(InvalidQuery(field="--set", reason=reason))
    # Like a variable, a relative path would mean another file than it means here.
    origin = Origin(layer="environment", name="--set")
    checked = _check_changed_settings({path: Entry(value=value, texts=(value,), origin=origin)})
    if isinstance(checked, Failure):
        return checked
    setting = checks.setting_value(checked.unwrap(), path)
    # Write the parsed value, so that a number is written as one.
    return Success({path: setting if isinstance(setting, bool | int | float | tuple) else value})


def _edit_config_text(
    path: Path, content: bytes | None, changes: Changes, *, hermes: bool
) -> Result[str, InvalidSetting]:
    text = (content or b"").decode()
    for key, value in changes.items():
        if isinstance(edited := _set_config_value(text, key, value, hermes=hermes), Failure):
            setting, reason = setting_path_text(key), edited.failure()
            return Failure(InvalidSetting(setting=setting, place=str(path), reason=reason))
        text = edited.unwrap()
    return Success(text)


def _set_config_value(text: str, key: KeyPath, value: Value, *, hermes: bool) -> Result[str, str]:
    # In a Hermes file our block wins over ``web``. Never change ``web.backend: webseam``: by that
    # Hermes chose webseam.
    block = (OWN_BLOCK,) if hermes else ()
    edited = set_yaml_value(text, (*block, *key), value)
    if isinstance(edited, Failure) and len(key) > 1 and checks.SHORT_FORMS.get(key[0]) == key[1]:
        # The block may be written in its short form, such as render: auto.
        return set_yaml_value(text, (*block, *key[:1]), value).lash(lambda _: edited)
    return edited


def _parse_config_bytes(path: Path, content: bytes | None) -> Result[ParsedConfig, InvalidSetting]:
    try:
        text = (content or b"").decode()
    except UnicodeDecodeError:
        return settings_file_error(path, "is not UTF-8 text")
    return parse_config(text.removeprefix("\ufeff"), str(path))


def _read_config_bytes(path: Path) -> Result[bytes | None, InvalidSetting]:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        return Success(None)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no file name"
        return settings_file_error(path, f"cannot be read: {reason.lower()}")
    if len(content) > MAX_CONFIG_BYTES:
        return settings_file_error(path, f"is larger than {MAX_CONFIG_BYTES} bytes")
    return Success(content)
