"""Set up: trust the settings of a working folder."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from webseam.composition.settings.entries import (
    Entry,
    is_secret_setting,
    redact_setting_value,
    referenced_variables,
    setting_path_text,
)
from webseam.composition.settings.file_locations import PROCESS_FILES
from webseam.composition.settings.schema import Standing
from webseam.composition.settings.settings_files import SettingSources, read_setting_sources
from webseam.composition.settings.trusted_folders import (
    real_folder_path,
    record_trust,
    revoke_trust,
    trusted_folders,
)
from webseam.composition.settings.vendors import FOLDER
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.console import is_terminal
from webseam.composition.terminal.exit_codes import DONE
from webseam.composition.terminal.output import print_data, print_error, unwrap_or_exit
from webseam.kernel.text.display import one_line, strip_hidden
from webseam.kernel.text.redaction import MASK
from webseam.ports.errors import InvalidQuery

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
        return _refuse_trust("FOLDER", "is not taken with --list, which lists all folders", options)
    if options.list:
        folders = unwrap_or_exit(trusted_folders(PROCESS_FILES), options)
        lines = [f"{it.folder}  {', '.join(sorted(it.files))}  {it.time}" for it in folders]
        text = "\n".join(map(strip_hidden, lines)) or "No folder is trusted."
        return print_data({"folders": folders}, text, options)
    folder = Path(options.folder or "")
    return (_run_revoke if options.revoke else _run_command)(folder, options)


def _refuse_trust(field: str, reason: str, options: argparse.Namespace) -> int:
    return print_error(InvalidQuery(field=field, reason=reason), as_json=options.json)


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


def _run_command(folder: Path, options: argparse.Namespace) -> int:
    if not folder.is_dir():
        return _refuse_trust("FOLDER", "is not a folder", options)
    sources = unwrap_or_exit(read_setting_sources(PROCESS_FILES, folder), options)
    entries, real = tuple(_untrusted_entries(sources)), real_folder_path(folder)
    trusted = bool(sources.verdict.hashes) and sources.verdict.worst == "trusted"
    if sources.verdict.worst == "trusted" or not entries:
        phrase = _STANDING_PHRASES["trusted"] if trusted else "sets nothing that needs a yes"
        data: dict[str, object] = {"folder": real, "trusted": trusted, "would_set": []}
        return print_data(data, strip_hidden(f"{real} {phrase}."), options)
    if not options.json:
        print("\n".join(_folder_lines(sources, entries, folder)))
    if not options.yes and (options.json or not is_terminal()):
        reason = "is required without a terminal; nothing was written"
        return _refuse_trust("--yes", reason, options)
    if not options.yes and not _confirm_folder_trust():
        print("Nothing was changed.")
        return DONE
    # Record the hashes of the bytes that were shown, not of the files as they are now.
    unwrap_or_exit(record_trust(folder, sources.verdict.hashes, PROCESS_FILES), options)
    files = sorted(sources.verdict.hashes)
    data = {"folder": real, "trusted": True, "files": files, "would_set": entries}
    text = f"Trusted: {', '.join(files)} in {real}, until it changes."
    return print_data(data, strip_hidden(text), options)


def _confirm_folder_trust() -> bool:
    try:
        return input("Trust these files as they are? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _untrusted_entries(sources: SettingSources) -> Iterator[UntrustedEntry]:
    mentioned = referenced_variables(sources.written.entries)
    for dotenv in sources.dotenvs:
        for name, entry in dotenv.withheld.items():
            if FOLDER.is_awaited(name) or name in mentioned or name in FOLDER.keys:
                yield _make_entry(
                    name, entry, secret=name in FOLDER.keys or is_secret_setting((name,))
                )
    for path, entry in sources.written.withheld.items():
        secret = is_secret_setting(path) or any(part in _SECRET_BLOCKS for part in path)
        yield _make_entry(setting_path_text(path), entry, secret=secret)


def _make_entry(name: str, entry: Entry, *, secret: bool) -> UntrustedEntry:
    value = MASK if secret else redact_setting_value(entry.value, secret=False)
    return UntrustedEntry(name=name, value=value, file=entry.origin.name, line=entry.origin.line)


def _folder_lines(
    sources: SettingSources, waiting: Sequence[UntrustedEntry], folder: Path
) -> list[str]:
    verdict = sources.verdict
    lines = [
        f"{real_folder_path(folder)} {_STANDING_PHRASES[verdict.worst]}. It would set:",
        *(f"  {_entry_text(entry)}" for entry in waiting),
        *([verdict.problem] if verdict.problem else []),
    ]
    return list(map(strip_hidden, lines))


def _entry_text(entry: UntrustedEntry) -> str:
    name = one_line(entry.name, _MAX_SHOWN_CHARS)
    location = entry.file if entry.line is None else f"{entry.file}:{entry.line}"
    return f"{name} = {one_line(str(entry.value), _MAX_SHOWN_CHARS)}  ({location})"


def _run_revoke(folder: Path, options: argparse.Namespace) -> int:
    real = real_folder_path(folder)
    if not unwrap_or_exit(revoke_trust(folder, PROCESS_FILES), options):
        return _refuse_trust("FOLDER", f"{one_line(real)} is not trusted anyway", options)
    data = {"folder": real, "trusted": False}
    return print_data(data, strip_hidden(f"{real} is trusted no more."), options)
