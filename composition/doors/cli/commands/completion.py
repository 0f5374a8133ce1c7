"""Set up: let your shell complete commands and names."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from webseam.composition.feature_table import Part, load
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.exit_codes import DONE

from .. import describe_command, find_commands, load_command

if TYPE_CHECKING:
    from webseam.composition.settings.schema import Settings

_BASH_SCRIPT = """_webseam() {
  local IFS=$'\\n'
  COMPREPLY=($(webseam completion --words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _webseam webseam"""
_ZSH_SCRIPT = """_webseam() {
  local tab=$'\\t'
  local -a found
  found=("${(@f)$(webseam completion --described "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(${found//:/\\\\:})
  found=(${found/$tab/:})
  [[ -n "$found" ]] && _describe webseam found || _files
}
compdef _webseam webseam"""
_FISH_SCRIPT = """function __webseam_words
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  webseam completion --described $words 2>/dev/null
end
complete -c webseam -a '(__webseam_words)'"""
_POWERSHELL_SCRIPT = """Register-ArgumentCompleter -Native -CommandName webseam -ScriptBlock {
  param($word, $line, $place)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -eq '') { $words += '' }
  webseam completion --words @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}"""
SHELLS: Mapping[str, str] = {
    "bash": _BASH_SCRIPT, "fish": _FISH_SCRIPT, "powershell": _POWERSHELL_SCRIPT,
    "zsh": _ZSH_SCRIPT,
}  # fmt: skip


def complete_command_words(words: list[str]) -> dict[str, str]:
    """Return the completions of the last of ``words``, which may be empty, and what they do."""
    *before, current = words or [""]
    commands = find_commands()
    if not before:
        purposes = {name: describe_command(module)[1] for name, module in commands.items()}
        return _match_tab_words(purposes.items(), current)
    if before[0] not in commands:
        return {}
    module = load_command(before[0])
    return _match_tab_words(_tab_words(module.command_line(), before[1:], current), current)


def _match_tab_words(names: Iterable[tuple[str, str]], current: str) -> dict[str, str]:
    return dict(sorted((name, text) for name, text in names if name.startswith(current)))


def _tab_words(
    parser: argparse.ArgumentParser, before: list[str], current: str
) -> Iterator[tuple[str, str]]:
    """Yield each word that may stand here, and what it does; a name says that itself."""
    action, parser = _tab_position(parser, before)
    if action is not None:
        yield from ((name, "") for name in _argument_completions(action))
    elif current.startswith("-"):
        for name, option in parser._option_string_actions.items():  # noqa: SLF001  argparse's own  argparse has no other way
            # An option that is hidden is an old name.
            if option.help != argparse.SUPPRESS:
                yield name, _option_purpose(parser, option)
    else:
        for positional in parser._get_positional_actions():  # noqa: SLF001  argparse's own
            yield from ((name, "") for name in _argument_completions(positional))


def _option_purpose(parser: argparse.ArgumentParser, option: argparse.Action) -> str:
    """Return what an option does, on one line."""
    return " ".join(parser._get_formatter()._expand_help(option).split())  # noqa: SLF001  argparse's own


def _tab_position(
    parser: argparse.ArgumentParser, before: list[str]
) -> tuple[argparse.Action | None, argparse.ArgumentParser]:
    """Return the option that still needs its value, or None, and the current subparser."""
    waiting: argparse.Action | None = None
    for word in before:
        if waiting is not None:
            waiting = None
            continue
        option = parser._option_string_actions.get(word)  # noqa: SLF001  argparse's own
        waiting = option if option is not None and option.nargs != 0 else None
        parser = _tab_subparser(parser, word) or parser
    return waiting, parser


def _tab_subparser(parser: argparse.ArgumentParser, word: str) -> argparse.ArgumentParser | None:
    for action in parser._get_positional_actions():  # noqa: SLF001  argparse's own
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  argparse's own  it has no other name
            subparser: argparse.ArgumentParser | None = action.choices.get(word)
            return subparser
    return None


def _argument_completions(action: argparse.Action) -> Iterator[str]:
    if action.choices is not None:
        yield from map(str, action.choices)
    if action.dest in _NAME_COMPLETERS:
        yield from _NAME_COMPLETERS[action.dest]()


def _tab_backends() -> Iterator[str]:
    from webseam.composition.wiring.backend_table import all_backend_rows
    from webseam.composition.wiring.root import read_root  # only when Tab asks for it

    root = read_root().value_or(None)
    yield from (row.candidate.name for row in (all_backend_rows(root) if root else ()))


class NameProviders(Protocol):
    """Name every provider of models; none where the settings cannot be read."""

    def __call__(self, settings: "Settings", /) -> Sequence[str]:
        """Return the names."""


PROVIDER_NAMES = Part[NameProviders]("provider_names")


def _tab_providers() -> Iterator[str]:
    from webseam.composition.settings.loader import load_settings  # only when Tab asks for it

    settings = load_settings().value_or(None)
    yield from load(PROVIDER_NAMES)(settings) if settings else ()


def _tab_handles() -> Iterator[str]:
    folder = FileLocations().cache_folder / "texts"
    yield from (file.stem for file in folder.glob("*") if file.is_file())


_NAME_COMPLETERS: Mapping[str, Callable[[], Iterator[str]]] = {
    "backend": _tab_backends,
    "service": _tab_backends,
    "what": lambda: chain(("model", "search", "x"), _tab_backends(), _tab_providers()),
    "part": lambda: chain(("model", "x"), _tab_backends(), _tab_providers()),
    "provider": _tab_providers,
    "handle": _tab_handles,
}


def run(arguments: Sequence[str]) -> int:
    """Print a shell's script, or the completions of ``--words``; return the exit code.

    ``--described`` has what each does behind a tab, for the shells that show it.
    """
    if arguments[:1] == ["--words"]:
        print("\n".join(complete_command_words(list(arguments[1:]))))
    elif arguments[:1] == ["--described"]:
        described = complete_command_words(list(arguments[1:]))
        print("\n".join(f"{word}\t{text}".rstrip() for word, text in described.items()))
    else:
        print(SHELLS[command_line().parse_args(arguments).shell])
    return DONE


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam completion",
        example="bash",
        with_json=False,
        description="Print the script that has a shell complete commands, options, backends, "
        "providers and the handles of pages.",
        epilog='bash: eval "$(webseam completion bash)" in ~/.bashrc. zsh: the same in ~/.zshrc. '
        "fish: webseam completion fish > ~/.config/fish/completions/webseam.fish. "
        "PowerShell: webseam completion powershell | Out-String | Invoke-Expression.",
    )
    parser.add_argument("shell", choices=sorted(SHELLS), help="your shell")
    return parser
