"""Set up: trust the settings of a working folder."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.text.display import one_line, strip_hidden
from ....kernel.text.redaction import MASK
from ....ports.errors import InvalidQuery, WebError
from ...file_locations import PROCESS_FILES
from ...settings.entries import (
    Entry,
    is_secret_setting,
    redact_setting_value,
    setting_path_text,
    setting_variables,
)
from ...settings.schema import Standing
from ...settings.settings_files import SettingSources, read_setting_sources
from ...settings.trusted_folders import (
    real_settings_folder,
    record_folder_trust,
    revoke_folder_trust,
    trusted_folders,
)
from ...settings.vendors import FOLDER
from ...terminal.argument_parser import Parser
from ...terminal.console import is_terminal
from ...terminal.exit_codes import DONE
from ...terminal.output import print_error, print_json

_MAX_SHOWN_CHARS = 120
_STANDING_PHRASES: dict[Standing, str] = {
    "trusted": "is trusted, as it is",
    "new": "is not trusted yet",
    "changed": "has changed since you trusted it",
    "anothers": "is not trusted yet, and belongs to another user",
    "unknown": "is not trusted: the record cannot be read",
}
# Any value below these blocks of a service or a provider may be a key.
_SECRET_BLOCKS = ("headers", "parameters", "body", "extra_body")


class UntrustedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of a folder that waits for trust; the value of a key is masked."""

    name: str
    value: object
    file: str
    line: int | None = None


def run(arguments: Sequence[str]) -> int:
    """Show what a folder would set and ask, or list or forget folders; return the exit code."""
    options = command_line().parse_args(arguments)
    if options.list and options.folder is not None:
        reason = "is not taken with --list, which lists all folders"
        done: Result[None, WebError] = Failure(InvalidQuery(field="FOLDER", reason=reason))
    elif options.list:
        done = _run_trust_list_command(as_json=options.json)
    elif options.revoke:
        done = _run_trust_revoke_command(Path(options.folder or ""), as_json=options.json)
    else:
        done = _run_trust_command(Path(options.folder or ""), options)
    return print_error(done.failure(), as_json=options.json) if isinstance(done, Failure) else DONE


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam trust",
        description="Show what the files of a working folder would set, and trust them as they are "
        "after a yes. Whatever they set by themselves, keys for known services say, needs none.",
    )
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="this one if none is named")
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument("--yes", action="store_true", help="do not ask; for scripts")
    actions.add_argument("--list", action="store_true", help="list the folders that are trusted")
    actions.add_argument("--revoke", action="store_true", help="trust the folder no more")
    return parser


def _run_trust_command(folder: Path, options: argparse.Namespace) -> Result[None, WebError]:
    if not folder.is_dir():
        return Failure(InvalidQuery(field="FOLDER", reason="is not a folder"))
    sources = read_setting_sources(PROCESS_FILES, folder)
    if isinstance(sources, Failure):
        return sources
    found_sources = sources.unwrap()
    entries = tuple(_trust_command_entries(found_sources))
    if found_sources.verdict.worst == "trusted" or not entries:
        return _print_no_trust_needed(found_sources, folder, as_json=options.json)
    if not options.json:
        print("\n".join(_trust_command_lines(found_sources, entries, folder)))
    if options.yes:
        return _record_trust_from_command(found_sources, entries, folder, as_json=options.json)
    return _prompt_for_trust(found_sources, entries, folder, as_json=options.json)


def _prompt_for_trust(
    sources: SettingSources, waiting: Sequence[UntrustedEntry], folder: Path, *, as_json: bool
) -> Result[None, WebError]:
    if as_json or not is_terminal():
        reason = "is required without a terminal; nothing was written"
        return Failure(InvalidQuery(field="--yes", reason=reason))
    try:
        answer = input("Trust these files as they are? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().lower() in ("y", "yes"):
        return _record_trust_from_command(sources, waiting, folder, as_json=False)
    print("Nothing was changed.")
    return Success(None)


def _record_trust_from_command(
    sources: SettingSources, waiting: Sequence[UntrustedEntry], folder: Path, *, as_json: bool
) -> Result[None, WebError]:
    """Record the hashes of the bytes that were shown, not of the files as they are now."""
    return record_folder_trust(folder, sources.verdict.hashes, PROCESS_FILES).map(
        lambda _: _print_trusted(sources, waiting, folder, as_json=as_json)
    )


def _trust_command_entries(sources: SettingSources) -> Iterator[UntrustedEntry]:
    """Yield the settings that apply once the folder is trusted."""
    mentioned = setting_variables(sources.written.entries)
    for dotenv in sources.dotenvs:
        for name, entry in dotenv.withheld.items():
            if FOLDER.is_awaited(name) or name in mentioned or name in FOLDER.keys:
                yield _trust_command_entry(
                    name, entry, secret=name in FOLDER.keys or is_secret_setting((name,))
                )
    for path, entry in sources.written.withheld.items():
        secret = is_secret_setting(path) or any(part in _SECRET_BLOCKS for part in path)
        yield _trust_command_entry(setting_path_text(path), entry, secret=secret)


def _trust_command_entry(name: str, entry: Entry, *, secret: bool) -> UntrustedEntry:
    value = MASK if secret else redact_setting_value(entry.value, secret=False)
    return UntrustedEntry(name=name, value=value, file=entry.origin.name, line=entry.origin.line)


def _trust_command_lines(
    sources: SettingSources, waiting: Sequence[UntrustedEntry], folder: Path
) -> list[str]:
    verdict = sources.verdict
    lines = [
        f"{real_settings_folder(folder)} {_STANDING_PHRASES[verdict.worst]}. It would set:",
        *(f"  {_trust_command_entry_text(entry)}" for entry in waiting),
        *([verdict.problem] if verdict.problem else []),
    ]
    return list(map(strip_hidden, lines))


def _trust_command_entry_text(entry: UntrustedEntry) -> str:
    name = one_line(entry.name, _MAX_SHOWN_CHARS)
    location = entry.file if entry.line is None else f"{entry.file}:{entry.line}"
    return f"{name} = {one_line(str(entry.value), _MAX_SHOWN_CHARS)}  ({location})"


def _print_no_trust_needed(
    sources: SettingSources, folder: Path, *, as_json: bool
) -> Result[None, WebError]:
    """Print that the folder is trusted already, or needs no trust."""
    trusted = bool(sources.verdict.hashes) and sources.verdict.worst == "trusted"
    phrase = _STANDING_PHRASES["trusted"] if trusted else "sets nothing that needs a yes"
    if as_json:
        data = {"folder": real_settings_folder(folder), "trusted": trusted, "would_set": []}
        print_json({"success": True, "data": data})
    else:
        print(strip_hidden(f"{real_settings_folder(folder)} {phrase}."))
    return Success(None)


def _print_trusted(
    sources: SettingSources, waiting: Sequence[UntrustedEntry], folder: Path, *, as_json: bool
) -> None:
    files, real = sorted(sources.verdict.hashes), real_settings_folder(folder)
    if as_json:
        would_set = msgspec.to_builtins(list(waiting))
        data = {"folder": real, "trusted": True, "files": files, "would_set": would_set}
        print_json({"success": True, "data": data})
    else:
        print(strip_hidden(f"Trusted: {', '.join(files)} in {real}, until it changes."))


def _run_trust_revoke_command(folder: Path, *, as_json: bool) -> Result[None, WebError]:
    revoked = revoke_folder_trust(folder, PROCESS_FILES)
    if isinstance(revoked, Failure):
        return revoked
    if not revoked.unwrap():
        reason = f"{one_line(real_settings_folder(folder))} is not trusted anyway"
        return Failure(InvalidQuery(field="FOLDER", reason=reason))
    if as_json:
        print_json(
            {"success": True, "data": {"folder": real_settings_folder(folder), "trusted": False}}
        )
    else:
        print(strip_hidden(f"{real_settings_folder(folder)} is trusted no more."))
    return Success(None)


def _run_trust_list_command(*, as_json: bool) -> Result[None, WebError]:
    folders = trusted_folders(PROCESS_FILES)
    if isinstance(folders, Failure):
        return folders
    if as_json:
        print_json({"success": True, "data": {"folders": msgspec.to_builtins(folders.unwrap())}})
    else:
        lines = [
            f"{it.folder}  {', '.join(sorted(it.files))}  {it.time}" for it in folders.unwrap()
        ]
        print("\n".join(map(strip_hidden, lines)) or "No folder is trusted.")
    return Success(None)
