"""The command line: ``webseam COMMAND``. A command's module is loaded when it is used."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import ENAMETOOLONG
from importlib import import_module
from types import ModuleType

from ..features import features
from ..notices import notify_through
from .exit_numbers import BACKEND_FAILED, BAD_INPUT, BUG, DONE, INTERRUPTED
from .streams import discard_output, prepare_streams

GROUPS: dict[str, dict[str, str]] = {
    "Look things up": {
        "search": "search the web",
        "extract": "read pages of the web",
        "ask": "answer a question, every claim with a quote that was checked",
        "x": "search X",
        "more": "go on in a page that was shown in part",
        "read": "read a file as a page is read",
    },
    "Many pages": {},
    "Your own": {
        "index": "keep documents of your own, to be searched offline",
        "cache": "count or clear the answers that are kept for a while",
    },
    "Serve": {
        "mcp": "offer the tools to a program that speaks MCP",
        "serve": "stand in for search APIs that others speak, at one address",
        "keys": "who may use what is served, and how much: add, list, revoke",
    },
    "Set up": {
        "setup": "add a key, for search, models or X",
        "doctor": "does it work, and what to do if not",
        "backends": "who can answer a search",
        "models": "who can answer a question",
        "spend": "what calls cost, and what is left of each budget",
        "config": "the settings, and where each of them came from",
        "trust": "believe what a working folder sets, after a look at it",
        "plugins": "list, enable, disable and describe plugins",
        "completion": "have your shell complete commands and names",
    },
    "Check": {
        "policy": "would a URL be fetched, and if not, why not",
        "model": "ask a model, to see that it answers",
        "bench": "ask several backends the same questions, and compare",
        "demo": "see it all at work, offline",
    },
}
TRUST_FOLDER = "WEBSEAM_TRUST_FOLDER"
_BROUGHT = {name: one for feature in features() for name, one in feature.commands.items()}
for _name, _command in _BROUGHT.items():
    GROUPS[_command.title][_name] = _command.what
COMMANDS = {name: what for group in GROUPS.values() for name, what in group.items()}
_EXITS = """0 done (also when nothing was found), 1 doctor or ask verify found trouble,
2 bad input, 3 not configured or key refused, 4 backend or network failed,
5 refused by policy, 70 a bug, 130 interrupted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    prepare_streams()
    words = _asked(list(sys.argv[1:] if arguments is None else arguments))
    if not words or words[0] not in COMMANDS:
        return _guarded(lambda: _overview(words))
    with notify_through(_say), _without_a_trace():
        return _guarded(lambda: _run(words[0], words[1:]))


def _overview(words: Sequence[str]) -> int:
    """Say what there is, or that there is no such command."""
    named = words[1:] if words[:1] == ["help"] else words
    if not named or named[0] in ("-h", "--help"):
        print(usage())
        return DONE
    if named[0] in ("-V", "--version"):
        print(f"webseam {_version()}")
        return DONE
    return _unknown(named[0], as_json="--json" in words)


def _asked(words: list[str]) -> list[str]:
    """Return what was typed, with ``help COMMAND`` as the command's own help."""
    if len(words) > 1 and words[0] == "help" and words[1] in COMMANDS:
        return [*words[1:], "--help"]
    return words


def _say(sentence: str) -> None:
    print(f"webseam: {sentence}", file=sys.stderr)


@contextmanager
def _without_a_trace() -> Iterator[None]:
    """Let a yes to the working folder, ``--trust-folder``, count for this command alone."""
    before = os.environ.get(TRUST_FOLDER)
    try:
        yield
    finally:
        os.environ.pop(TRUST_FOLDER, None)
        if before is not None:
            os.environ[TRUST_FOLDER] = before


def usage() -> str:
    """Return the overview of all commands."""
    width = max(map(len, COMMANDS))
    lines = ["Search the web and read pages; what comes back is valid, or says why not.", ""]
    lines += ["usage: webseam COMMAND [OPTIONS]"]
    for title, group in GROUPS.items():
        lines += ["", title, *(f"  {name:<{width}}  {what}" for name, what in group.items())]
    lines += ["", "Try", "  webseam search tide tables", "  webseam extract https://example.com/"]
    lines += ["  webseam doctor", "", "webseam COMMAND --help tells more. Exit codes:", _EXITS]
    return "\n".join(lines)


def module_of(command: str) -> ModuleType:
    """Return the module of a command: that of the core, or the one that a feature names."""
    if command in _BROUGHT:
        return import_module(f"webseam.{_BROUGHT[command].where}")
    return import_module(f".commands.{command}", __name__)


def _run(command: str, arguments: list[str]) -> int:
    try:
        code: int = module_of(command).run(arguments)
    except SystemExit as ended:
        # argparse ends so after its help, which may not have been written yet.
        return ended.code if isinstance(ended.code, int) else BAD_INPUT
    return code


def _guarded(work: Callable[[], int]) -> int:
    """Return the exit code of ``work``, whatever becomes of it and of what it prints."""
    try:
        code = work()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone, e.g. `| head`.
        discard_output()
        return DONE
    except OSError as error:
        discard_output()
        # It may be standard error itself that is full.
        with suppress(OSError):
            print(f"webseam: {_trouble(error)}.", file=sys.stderr)
        return BAD_INPUT if error.errno == ENAMETOOLONG else BACKEND_FAILED
    except Exception as error:  # noqa: BLE001  the boundary: a bug is told, and holds no secret
        name = type(error).__name__
        print(f"webseam: this is a bug in webseam ({name}); please report it.", file=sys.stderr)
        return BUG
    return code


def _trouble(error: OSError) -> str:
    """Return what is wrong: a file where one is named, else what we write to."""
    if error.filename is None:
        reason = (error.strerror or "it cannot be written to").lower()
        return f"the output is not complete: {reason}"
    from ...kernel.text.display import quote_value  # noqa: PLC0415  hardly ever

    name = quote_value(os.fsdecode(error.filename))
    return f"{name} cannot be used: {(error.strerror or 'it is no file').lower()}"


def _unknown(name: str, *, as_json: bool) -> int:
    from difflib import get_close_matches  # noqa: PLC0415  only for a name that there is not

    from ...kernel.text.display import quote_value  # noqa: PLC0415

    near = get_close_matches(name, COMMANDS, 1)
    reason = f"there is no command {quote_value(name)}"
    hint = f"Did you mean {near[0]}?" if near else "webseam --help lists them."
    if name.startswith("-"):
        reason = f"there is no option {quote_value(name)} here"
        hint = "Options follow a command: webseam COMMAND --help lists them."
    if as_json:
        _say_unknown(reason)
    else:
        print(f"webseam: {reason}. {hint}", file=sys.stderr)
    return BAD_INPUT


def _say_unknown(reason: str) -> None:
    from ...kernel.envelopes import failure_envelope  # noqa: PLC0415  only for what is wrong
    from ...ports.errors import InvalidQuery  # noqa: PLC0415
    from .output import print_json  # noqa: PLC0415

    wrong = failure_envelope(InvalidQuery(field="command", reason=reason))
    print_json({**wrong, "next": ["webseam --help"]})


def _version() -> str:
    return str(import_module("webseam").__version__)
