"""Plan our entry in a client's file, show it, and write it with a backup."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.files import write_file
from webseam.ports.errors import InvalidSetting

from ...settings.changes import existing_file_bytes, settings_file_error
from ...settings.yaml_edits import Value, set_yaml_value, yaml_node_value
from ...settings.yaml_nodes import read_yaml_document
from .json_rpc import Json
from .jsonc import BY_HAND_REASON, read_jsonc, set_jsonc
from .mcp_clients import ENTRY_NAME, Launcher, Machine, McpClient
from .skill import skill_text

_MAX_FILE_BYTES = 32 * 1024 * 1024
_MAX_ENTRY_LINES = 40


def set_toml_table(text: str, path: tuple[str, str], value: Json) -> Result[str, str]:
    r"""Return ``text`` with the table ``[path]``, or why that is not possible.

    >>> print(set_toml_table("# mine\na = 1\n", ("servers", "w"), {"command": "x"}).unwrap())
    # mine
    a = 1
    <BLANKLINE>
    [servers.w]
    command = "x"
    <BLANKLINE>
    """
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return Failure("is not TOML")
    tables = before.get(path[0], {})
    existing = tables.get(path[1], {}) if isinstance(tables, dict) else None
    if not isinstance(existing, dict):
        return Failure(BY_HAND_REASON)
    # Keep the user's other values, and the tables below.
    others = {name: item for name, item in existing.items() if not isinstance(item, dict)}
    value = {**others, **value}
    if {name: existing.get(name) for name in value} == value and existing:
        return Success(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    # JSON syntax is valid TOML for our strings, lists and numbers.
    pairs = [f"{name} = {json.dumps(item, ensure_ascii=False)}" for name, item in value.items()]
    block = newline.join([f"[{path[0]}.{path[1]}]", *pairs]) + newline
    if path[1] in tables:
        changed = _replace_toml_table(text, path, block)
    else:
        lead = ""
        if text:
            lead = newline if text.endswith("\n") else newline * 2
        changed = f"{text}{lead}{block}"
    return _check_toml_change(changed, before, path, value)


def _check_toml_change(
    changed: str, before: Json, path: tuple[str, str], value: Json
) -> Result[str, str]:
    try:
        after = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        return Failure(BY_HAND_REASON)
    items = before.get(path[0], {}).get(path[1], {})
    subtables = {name: item for name, item in items.items() if isinstance(item, dict)}
    expected = {**before, path[0]: {**before.get(path[0], {}), path[1]: {**value, **subtables}}}
    return Success(changed) if after == expected else Failure(BY_HAND_REASON)


def _replace_toml_table(text: str, path: tuple[str, str], block: str) -> str:
    head = rf"\[\s*{re.escape(path[0])}\s*\.\s*[\"']?{re.escape(path[1])}[\"']?\s*\]"
    pattern = re.compile(
        rf"^[ \t]*{head}[^\n]*\n(?:(?![ \t]*\[|[ \t]*#|[ \t]*$).*\n?)*", re.MULTILINE
    )
    return pattern.sub(lambda _: block, text, count=1)


class ConfigChange(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a file before and after; None for a missing file."""

    file: Path
    before: str | None
    after: str | None

    @property
    def is_none(self) -> bool:
        """Whether the file already has everything."""
        return self.before == self.after

    def diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, str(self.file), str(self.file), n=2)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def client_config_snippet(client: McpClient, launcher: Launcher) -> str:
    """Return our entry as the text of a new file."""
    return _add_entry("", client, launcher).unwrap()


def plan_client_changes(
    client: McpClient, launcher: Launcher | None, machine: Machine
) -> Result[list[ConfigChange], InvalidSetting]:
    """Return the changes to a client's file and skills; without a launcher those that undo them."""
    if isinstance(config := plan_client_change(client, launcher, machine), Failure):
        return config
    changes = [config.unwrap()]
    if client.skills is not None:
        file = client.skills(machine) / ENTRY_NAME / "SKILL.md"
        if isinstance(before := _read_file(file), Failure):
            return before
        after = None if launcher is None else skill_text()
        changes.append(ConfigChange(file=file, before=before.unwrap(), after=after))
    return Success([change for change in changes if not change.is_none])


def plan_client_change(
    client: McpClient, launcher: Launcher | None, machine: Machine
) -> Result[ConfigChange, InvalidSetting]:
    """Return the change to a client's file, or why to make it by hand."""
    # Follow a link, so that a linked file stays a link.
    file = Path(os.path.realpath(client.file(machine)))
    before = _read_file(file)
    if isinstance(before, Failure):
        return before
    text = before.unwrap() or ""
    after = _remove_entry(text, client) if launcher is None else _add_entry(text, client, launcher)
    if isinstance(after, Failure):
        return settings_file_error(file, after.failure())
    content = after.unwrap() if launcher is not None or text else before.unwrap()
    return Success(ConfigChange(file=file, before=before.unwrap(), after=content))


def write_client_change(change: ConfigChange) -> Result[Path | None, InvalidSetting]:
    """Write a change unless the file changed meanwhile; return the path of the backup."""
    file = change.file
    before = None if change.before is None else change.before.encode()
    try:
        if change.after is None:
            file.unlink()
            if not any(file.parent.iterdir()):
                file.parent.rmdir()
            return Success(None)
        mode = None if before is None else stat.S_IMODE(file.stat().st_mode)
        backup = None if before is None else _back_up_file(file, before)
        written = write_file(
            file, change.after.encode(), lambda: existing_file_bytes(file) == before
        )
        if mode is not None:
            # The file belongs to another program, so keep its permissions.
            file.chmod(mode)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        return settings_file_error(file, f"cannot be written: {reason}")
    if not written:
        return settings_file_error(file, "was changed by another program; try again")
    return Success(backup)


def _add_entry(text: str, client: McpClient, launcher: Launcher) -> Result[str, str]:
    if client.format == "json":
        document = read_jsonc(text)
        if isinstance(document, Failure):
            return document
        content = document.unwrap()
        path, entry = client.path(content), client.entry(launcher, content)
        return _set_json_entry(text, path, entry, _value_at_path(content, path))
    entry, path = client.entry(launcher, None), client.path(None)
    if client.format == "toml":
        return set_toml_table(text, (path[0], path[1]), entry)
    return _set_yaml_entry(text, path, entry)


def _remove_entry(text: str, client: McpClient) -> Result[str, str]:
    """Remove the lines of our entry: the fewest after which everything else is still there."""
    document = _parse_document(text, client)
    *parents, name = path = client.path(document)
    siblings = _value_at_path(document, parents)
    if not isinstance(siblings, dict) or name not in siblings:
        return Success(text)
    rest = {key: value for key, value in siblings.items() if key != name}
    others = {key: value for key, value in document.items() if key != path[0]}
    lines = text.splitlines(keepends=True)
    is_key = re.compile(rf'\s*(\[.*\.)?"?{name}"?\s*[\]:]').match
    for start in (index for index, line in enumerate(lines) if is_key(line)):
        for end in range(start + 1, min(start + _MAX_ENTRY_LINES, len(lines)) + 1):
            head, tail = "".join(lines[:start]), "".join(lines[end:])
            if client.format == "json" and tail.lstrip().startswith("}"):
                head = head.rstrip().removesuffix(",") + "\n"
            after = _parse_document(head + tail, client)
            if (
                isinstance(after, dict)
                and (_value_at_path(after, parents) or {}) == rest
                and others == {key: value for key, value in after.items() if key != path[0]}
            ):
                return Success(head + tail)
    return Failure(BY_HAND_REASON)


def _parse_document(text: str, client: McpClient) -> Any:  # noqa: ANN401  any document
    if client.format == "json":
        return read_jsonc(text).value_or(None)
    if client.format == "yaml":
        return read_yaml_document(text).map(lambda it: yaml_node_value(it) or {}).value_or(None)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _set_json_entry(
    text: str, path: tuple[str, ...], entry: Json, existing: object
) -> Result[str, str]:
    """Set only the values that differ, and keep the rest of an existing entry."""
    if not isinstance(existing, dict):
        return set_jsonc(text, path, entry)
    for name, value in entry.items():
        if existing.get(name) != value:
            changed = set_jsonc(text, (*path, name), value)
            if isinstance(changed, Failure):
                return changed
            text = changed.unwrap()
    return Success(text)


def _value_at_path(value: Any, path: Sequence[str]) -> Any:  # noqa: ANN401  any document
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _set_yaml_entry(text: str, path: tuple[str, ...], entry: Json) -> Result[str, str]:
    document = read_yaml_document(text).map(yaml_node_value).value_or(None)
    existing = _value_at_path(document, path)
    for name, value in entry.items():
        if isinstance(existing, dict) and existing.get(name) == value:
            continue
        yaml_value: Value = tuple(value) if isinstance(value, list) else value
        changed = set_yaml_value(text, (*path, name), yaml_value)
        if isinstance(changed, Failure):
            return changed
        text = changed.unwrap()
    return Success(text)


def _read_file(file: Path) -> Result[str | None, InvalidSetting]:
    try:
        with file.open("rb") as source:
            content = source.read(_MAX_FILE_BYTES + 1)
        if len(content) > _MAX_FILE_BYTES:
            return settings_file_error(file, "is too large to be a settings file")
        return Success(content.decode())
    except FileNotFoundError:
        return Success(None)
    except (OSError, UnicodeDecodeError):
        return settings_file_error(file, "cannot be read as text")


def _back_up_file(file: Path, content: bytes) -> Path:
    """Store the content beside the file under a free name; return that path."""
    names = (file.with_name(f"{file.name}.webseam-backup{number or ''}") for number in range(1000))
    backup = next(name for name in names if not name.exists())
    write_file(backup, content)
    return backup
