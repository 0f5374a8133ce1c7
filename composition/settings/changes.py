"""Setting up: which values go where in the settings file, and the file changed, or left alone."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.files import write_file
from ...adapters.service.declaration import Service
from ...kernel.text.display import quote_value
from ...kernel.trust import Origin
from ...kernel.urls.service_endpoints import check_endpoint
from ...ports.errors import InvalidQuery, InvalidSetting, WebError
from .checks import (
    SHORT_FORMS,
    canonical_path,
    check_entries,
    known_keys,
    nearest_setting,
    policy_of,
)
from .entries import Entries, Entry, KeyPath, setting_path_text
from .parser import ParsedConfig, parse_config
from .schema import Settings
from .services import BASE_URL
from .sources.folder import MAX_CONFIG_BYTES
from .sources.hermes import OWN_BLOCK
from .yaml.edits import Value, set_value


def write_private(
    path: Path, content: bytes, expected: bytes | None
) -> Result[None, InvalidSetting]:
    """Put ``content`` in the place of ``expected``, which was there when it was read.

    A link is followed. Whoever reads the file meanwhile sees the old one or the new one.
    """
    target = Path(os.path.realpath(path))
    try:
        written = write_file(target, content, lambda: _content(target) == expected)
    except OSError as error:
        return _writer_failed(
            path, f"cannot be written: {(error.strerror or 'no reason given').lower()}"
        )
    if not written:
        return _writer_failed(path, "was changed by somebody else meanwhile; try again")
    return Success(None)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _writer_failed(path: Path, reason: str) -> Failure[InvalidSetting]:
    return Failure(InvalidSetting(setting="the settings file", place=str(path), reason=reason))


# Setting up: which values go where in the settings file, and the file changed, or left alone.

Changes: TypeAlias = Mapping[KeyPath, Value]


class SetupTarget(msgspec.Struct, frozen=True, kw_only=True):
    """What is set up: what it wants to be told, and the block of the settings it is written to."""

    service: Service
    block: Literal["services", "providers"] = "services"

    def path(self, name: str) -> KeyPath:
        """Return where an option is written: at the top, if it is a setting there, or in a block.

        The settings at the top are those of the search model of one's own.
        """
        alone = (f"{self.service.name}_{name}",)
        if self.block == "services" and alone in known_keys():
            return alone
        return (self.block, self.service.name, name)

    def variables(self, name: str) -> tuple[str, ...]:
        """Name the variable that wins over all others for an option."""
        option = next((each for each in self.service.options if each.name == name), None)
        if self.block == "providers":
            return () if option is None else option.env[:1]
        return (re.sub(r"[^A-Z0-9]", "_", f"WEBSEAM_{self.service.name}_{name}".upper()),)


def change_file(path: Path, changes: Changes) -> Result[None, InvalidSetting]:
    """Set values in the settings file, which must be readable before and after."""
    before = _read(path)
    if isinstance(before, Failure):
        return before
    content = before.unwrap()
    parsed = _parsed(path, content)
    if isinstance(parsed, Failure):
        return parsed
    changed = _changed(path, content, changes, hermes=parsed.unwrap().hermes)
    if isinstance(changed, Failure):
        return changed
    new = changed.unwrap().encode()
    after = _parsed(path, new).bind(lambda file: _checked(file.entries))
    if isinstance(after, Failure):
        return after
    return write_private(path, new, content)


def _checked(entries: Mapping[KeyPath, Entry]) -> Result[Settings, InvalidSetting]:
    """Return the settings that entries give, when the policy in them can be read, too."""
    future = check_entries(entries).map(
        lambda settings: msgspec.structs.replace(settings, entries=Entries(entries))
    )
    return future.bind(lambda settings: policy_of(settings).map(lambda _: settings))


def read_assignment(
    text: str, target: SetupTarget | None, read_line: Callable[[], str]
) -> Result[Changes, WebError]:
    """Read ``key=value``: an option of what is set up, or without one any setting.

    A value of ``-`` is the next line of the input.
    """
    name, equals, written = text.partition("=")
    name, value = name.strip(), written.strip()
    if not equals or not name:
        return Failure(InvalidQuery(field="--set", reason="must be KEY=VALUE"))
    if value == "-":
        value = read_line().strip()
        if not value:
            reason = "no value came on standard input; --env takes it from a variable"
            return Failure(InvalidQuery(field=name, reason=reason))
    if not value:
        return Failure(InvalidQuery(field="--set", reason=f"{quote_value(name)} has no value"))
    return _setting(name, value) if target is None else _option(name, value, target)


def changed_settings(
    settings: Settings, target: SetupTarget, changes: Changes
) -> Result[Settings, InvalidSetting]:
    """Return the settings as they would be with ``changes``, which win over every variable."""
    origin = Origin(layer="file", name=settings.file)
    new = {
        path: Entry(value=value, texts=_texts(value), origin=origin)
        for path, value in changes.items()
    }
    entries = {**dict(settings.entries), **new}
    layer = {
        variable: entry
        for path, entry in new.items()
        for variable in target.variables(path[-1])
        if path[0] in ("services", "providers")
    }
    return check_entries(entries).map(
        lambda checked: msgspec.structs.replace(
            checked,
            entries=Entries(entries),
            variables=settings.variables.under(layer),
            file=settings.file,
        )
    )


def _texts(value: Value) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _option(name: str, value: str, target: SetupTarget) -> Result[Changes, WebError]:
    service = target.service
    known = [*(option.name for option in service.options), BASE_URL]
    if name not in known:
        reason = (
            f"{quote_value(name)} is not an option of {service.name}; there are {', '.join(known)}"
        )
        return Failure(InvalidQuery(field="--set", reason=reason))
    if name == BASE_URL:
        checked = check_endpoint(value, with_key=False)
        if isinstance(checked, Failure):
            return checked
    return Success({target.path(name): value})


def _setting(name: str, value: str) -> Result[Changes, WebError]:
    path = canonical_path(tuple(name.split(".")))
    if path not in known_keys():
        hint = nearest_setting(path)
        reason = f"{quote_value(name)} is not a setting" + (f"; {hint} is" if hint else "")
        return Failure(InvalidQuery(field="--set", reason=reason))
    origin = Origin(layer="argument", name="--set")
    checked = _checked({path: Entry(value=value, texts=(value,), origin=origin)})
    if isinstance(checked, Failure):
        return checked
    setting: object = checked.unwrap()
    for part in path:
        setting = getattr(setting, part)
    # As it was read, so that a number is written as one.
    return Success({path: setting if isinstance(setting, bool | int | float | tuple) else value})


def _changed(
    path: Path, content: bytes | None, changes: Changes, *, hermes: bool
) -> Result[str, InvalidSetting]:
    text = (content or b"").decode()
    for key, value in changes.items():
        done = _set(text, key, value, hermes=hermes)
        if isinstance(done, Failure):
            reason = done.failure()
            return Failure(
                InvalidSetting(setting=setting_path_text(key), place=str(path), reason=reason)
            )
        text = done.unwrap()
    return Success(text)


def _set(text: str, key: KeyPath, value: Value, *, hermes: bool) -> Result[str, str]:
    done = set_value(text, _placed(key) if hermes else key, value)
    if isinstance(done, Failure) and len(key) > 1 and SHORT_FORMS.get(key[0]) == key[1]:
        # The block may be written as one value: render: auto.
        short = set_value(text, _placed(key[:1]) if hermes else key[:1], value)
        return done if isinstance(short, Failure) else short
    return done


def _placed(key: KeyPath) -> KeyPath:
    """Return where a setting goes in a file of Hermes: into our block, which wins over ``web``.

    ``web.backend: webseam`` is how Hermes chose us, and never ours to change.
    """
    return (OWN_BLOCK, *key)


def _parsed(path: Path, content: bytes | None) -> Result[ParsedConfig, InvalidSetting]:
    try:
        text = (content or b"").decode()
    except UnicodeDecodeError:
        return _failed(path, "is not UTF-8 text")
    return parse_config(text.removeprefix("\ufeff"), str(path))


def _read(path: Path) -> Result[bytes | None, InvalidSetting]:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        return Success(None)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no file name"
        return _failed(path, f"cannot be read: {reason.lower()}")
    if len(content) > MAX_CONFIG_BYTES:
        return _failed(path, f"is larger than {MAX_CONFIG_BYTES} bytes")
    return Success(content)


def _failed(path: Path, reason: str) -> Failure[InvalidSetting]:
    return Failure(InvalidSetting(setting="the settings file", place=str(path), reason=reason))
