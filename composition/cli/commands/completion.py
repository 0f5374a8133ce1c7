"""Set up: have your shell complete commands and names."""

from collections.abc import Sequence

from ...terminal.arguments.parser import Parser
from ...terminal.exit_codes import DONE
from ..completion import SHELLS, complete_words

_ASKED = "--words"


def run(arguments: Sequence[str]) -> int:
    """Print a shell's script, or what may come next, and return the exit code."""
    if arguments[:1] == [_ASKED]:
        print("\n".join(complete_words(list(arguments[1:]))))
        return DONE
    options = command_line().parse_args(arguments)
    print(SHELLS[options.shell])
    return DONE


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam completion",
        example="bash",
        description="Print the script that has a shell complete commands, options, backends, "
        "providers and the handles of pages.",
        epilog='bash: eval "$(webseam completion bash)" in ~/.bashrc. zsh: the same in ~/.zshrc. '
        "fish: webseam completion fish > ~/.config/fish/completions/webseam.fish. "
        "PowerShell: webseam completion powershell | Out-String | Invoke-Expression.",
    )
    parser.add_argument("shell", choices=sorted(SHELLS), help="your shell")
    return parser
