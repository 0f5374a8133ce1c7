"""A client's file with our entry in it: planned, shown, and written with a backup of what was."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import tomllib
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.files import write_file
from ....ports.errors import InvalidSetting
from ...settings.yaml.edits import Value, node_value, set_value
from ...settings.yaml.nodes import read_document
from ..json_rpc import Json
from .clients import Launcher, Machine, McpClient
from .jsonc import BY_HAND, read_jsonc, set_jsonc


def set_table(text: str, path: tuple[str, str], value: Json) -> Result[str, str]:
    r"""Return ``text`` with the table ``[path]``, or why that cannot be done.

    >>> print(set_table("# mine\na = 1\n", ("servers", "w"), {"command": "x"}).unwrap())
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
    known = before.get(path[0], {})
    if not isinstance(known, dict):
        return Failure(BY_HAND)
    own = known.get(path[1], {})
    if not isinstance(own, dict):
        return Failure(BY_HAND)
    # What the user set beside ours stays, and so do tables below.
    value = {**{name: each for name, each in own.items() if not isinstance(each, dict)}, **value}
    if {name: own.get(name) for name in value} == value and own:
        return Success(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [
        f"[{path[0]}.{path[1]}]",
        *(f"{name} = {_written(each)}" for name, each in value.items()),
    ]
    block = newline.join(lines) + newline
    changed = _replaced(text, path, block) if path[1] in known else _appended(text, block, newline)
    return _checked(changed, before, path, value)


def _checked(changed: str, before: Json, path: tuple[str, str], value: Json) -> Result[str, str]:
    try:
        after = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        return Failure(BY_HAND)
    below = {
        name: each
        for name, each in before.get(path[0], {}).get(path[1], {}).items()
        if isinstance(each, dict)
    }
    wanted = {**before, path[0]: {**before.get(path[0], {}), path[1]: {**value, **below}}}
    return Success(changed) if after == wanted else Failure(BY_HAND)


def _appended(text: str, block: str, newline: str) -> str:
    lead = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{lead}{block}"


def _replaced(text: str, path: tuple[str, str], block: str) -> str:
    head = rf"\[\s*{re.escape(path[0])}\s*\.\s*[\"']?{re.escape(path[1])}[\"']?\s*\]"
    pattern = re.compile(
        rf"^[ \t]*{head}[^\n]*\n(?:(?![ \t]*\[|[ \t]*#|[ \t]*$).*\n?)*", re.MULTILINE
    )
    return pattern.sub(lambda _: block, text, count=1)


def _written(value: object) -> str:
    # A TOML string, list or number of ours is written as JSON has it.
    return json.dumps(value, ensure_ascii=False)


# A client's file with our entry in it: planned, shown, and written with a backup of what was.

_MAX_FILE_BYTES = 32 * 1024 * 1024


class ConfigChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds and what it would hold; None for one that is not there."""

    file: Path
    before: str | None
    after: str

    @property
    def is_none(self) -> bool:
        """Whether everything is there already."""
        return self.before == self.after

    def diff(self) -> str:
        """Return the change as people know it from version control."""
        old = (self.before or "").splitlines(keepends=True)
        lines = difflib.unified_diff(
            old, self.after.splitlines(keepends=True), str(self.file), str(self.file), n=2
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def config_snippet(client: McpClient, launcher: Launcher) -> str:
    """Return our entry as it would stand in an empty file."""
    return _with_entry("", client, launcher).unwrap()


def plan_change(
    client: McpClient, launcher: Launcher, machine: Machine
) -> Result[ConfigChange, InvalidSetting]:
    """Return the change to a client's file, or why it is better made by hand."""
    # A link is followed: who keeps such files elsewhere still has one afterwards.
    file = Path(os.path.realpath(client.file(machine)))
    before = _read(file)
    if isinstance(before, Failure):
        return before
    after = _with_entry(before.unwrap() or "", client, launcher)
    if isinstance(after, Failure):
        return _failed(file, after.failure())
    return Success(ConfigChange(file=file, before=before.unwrap(), after=after.unwrap()))


def write_change(change: ConfigChange) -> Result[Path | None, InvalidSetting]:
    """Write a change, unless the file was changed meanwhile; return where the backup is."""
    file = change.file
    before = None if change.before is None else change.before.encode()
    try:
        mode = None if before is None else stat.S_IMODE(file.stat().st_mode)
        backup = None if before is None else _back_up(file, before)
        written = write_file(file, change.after.encode(), lambda: _content(file) == before)
        if mode is not None:
            # The file is another program's, and so is who may read it.
            file.chmod(mode)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        return _failed(file, f"cannot be written: {reason}")
    return Success(backup) if written else _failed(file, "was changed meanwhile; try again")


def _with_entry(text: str, client: McpClient, launcher: Launcher) -> Result[str, str]:
    if client.format == "json":
        known = read_jsonc(text)
        if isinstance(known, Failure):
            return known
        meaning = known.unwrap()
        path, entry = client.path(meaning), client.entry(launcher, meaning)
        return _with_json(text, path, entry, _at(meaning, path))
    entry = client.entry(launcher, None)
    path = client.path(None)
    if client.format == "toml":
        return set_table(text, (path[0], path[1]), entry)
    return _with_yaml(text, path, entry)


def _with_json(text: str, path: tuple[str, ...], entry: Json, known: object) -> Result[str, str]:
    """Set what differs in an entry that is there, so that whatever else is in it stays."""
    if not isinstance(known, dict):
        return set_jsonc(text, path, entry)
    for name, value in entry.items():
        if known.get(name) != value:
            changed = set_jsonc(text, (*path, name), value)
            if isinstance(changed, Failure):
                return changed
            text = changed.unwrap()
    return Success(text)


def _at(whole: object, path: tuple[str, ...]) -> object:
    for name in path:
        whole = whole.get(name) if isinstance(whole, dict) else None
    return whole


def _with_yaml(text: str, path: tuple[str, ...], entry: Json) -> Result[str, str]:
    known = _at(read_document(text).map(node_value).value_or(None), path)
    for name, value in entry.items():
        if isinstance(known, dict) and known.get(name) == value:
            continue
        one: Value = tuple(value) if isinstance(value, list) else value
        changed = set_value(text, (*path, name), one)
        if isinstance(changed, Failure):
            return changed
        text = changed.unwrap()
    return Success(text)


def _read(file: Path) -> Result[str | None, InvalidSetting]:
    try:
        with file.open("rb") as source:
            content = source.read(_MAX_FILE_BYTES + 1)
        if len(content) > _MAX_FILE_BYTES:
            return _failed(file, "is too large to be a settings file")
        return Success(content.decode())
    except FileNotFoundError:
        return Success(None)
    except (OSError, UnicodeDecodeError):
        return _failed(file, "cannot be read as text")


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _back_up(file: Path, content: bytes) -> Path:
    """Keep what is in a file beside it, under a name that is free; return the name."""
    names = (file.with_name(f"{file.name}.webseam-backup{number or ''}") for number in range(1000))
    backup = next(name for name in names if not name.exists())
    write_file(backup, content)
    return backup


def _failed(file: Path, reason: str) -> Failure[InvalidSetting]:
    return Failure(InvalidSetting(setting="the settings file", place=str(file), reason=reason))
