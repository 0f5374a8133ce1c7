"""Command-line parsing: an error is one line that names the flag, or JSON."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import argparse
import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

from returns.result import Failure, Result, Success

from webseam.kernel.envelopes import failure_envelope
from webseam.kernel.text.display import one_line, quote_value
from webseam.ports.dates import parse_day_name
from webseam.ports.errors import InvalidQuery, InvalidSetting, WebError
from webseam.ports.text import nearest_name

from ..settings.file_locations import INDEX_VARIABLE
from . import TRUST_FOLDER_VARIABLE
from .exit_codes import BAD_INPUT
from .output import print_json
from .terminal_look import terminal_columns

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

# argparse's message for missing arguments; their names follow.
_REQUIRED_MESSAGE = "the following arguments are required: "
# argparse's message for -heat, which it reads as -h with a value.
_EXPLICIT_MESSAGE = "ignored explicit argument"
_DASHES_HINT = "put -- before words that begin with a minus"
# What to type in the place of options that several commands had.
INDEX_HINT = f"name another index with {INDEX_VARIABLE}=FILE before the command"
LENGTH_HINT = "use --max-chars, about four characters a token"
TIMEOUT_HINT = "put WEBSEAM_TIMEOUT=SECONDS before the command"
PAGER_HINT = "put PAGER=cat before the command"


def day_option(text: str) -> str:
    """Return the day that an option names, in ISO form; raise argparse's error otherwise."""
    if isinstance(day := parse_day_name(text, datetime.now(UTC).date()), Failure):
        message = f"{text!r} {day.failure()}"
        raise argparse.ArgumentTypeError(message)
    return day.unwrap().isoformat()


_Read: TypeAlias = Callable[[str], object]


class _TrustFolder(argparse.Action):
    def __call__(self, *_arguments: object) -> None:
        os.environ[TRUST_FOLDER_VARIABLE] = "1"


class _WholeReceipt(argparse.Action):
    def __call__(
        self, _parser: argparse.ArgumentParser, options: argparse.Namespace, *_rest: object
    ) -> None:
        options.json = options.receipt = True


class _HelpFormatter(argparse.HelpFormatter):
    """Wraps between words only; the usage line has only what a command needs."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_columns() - 2)

    def _format_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        _groups: object,
        prefix: str | None,
    ) -> str:
        listed = list(actions)
        required = [action for action in listed if action.required and action.option_strings]
        words = [usage or self._prog, *map(self._format_action_invocation, required)]
        words += ["[OPTIONS]"] if any(action.option_strings for action in listed) else []
        words += [
            self._format_args(action, action.dest) for action in listed if not action.option_strings
        ]
        text = " ".join([prefix if prefix is not None else "usage:", *words])
        return f"{self._fill_text(text, self._width, '')}\n\n"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = self._split_lines(text, width - len(indent))
        return "\n".join(f"{indent}{line}" for line in lines)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return ", ".join(action.option_strings) or super()._format_action_invocation(action)
        names = ", ".join(action.option_strings)
        return f"{names} {self._format_args(action, 'N' if action.type else action.dest.upper())}"

    def _metavar_formatter(
        self, action: argparse.Action, default_metavar: str
    ) -> Callable[[int], tuple[str, ...]]:
        """Leave the choices to the help text: they are too long for a name."""
        name = action.metavar or default_metavar
        return lambda size: name if isinstance(name, tuple) else (name,) * size

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.choices is None or action.metavar is not None:
            return action.help
        return f"{action.help}: {', '.join(action.choices)}"


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` with short errors, which guess at typos and cite ``example``.

    ``hints`` says what to type for a subcommand or an option that there is not. Of each pair of
    ``conflicts`` the first option does nothing beside the second, so both together are refused.

    Its help has the common options first, then those of each group, then those of all commands.
    """

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401  as argparse has it
        example: str = "",
        hints: Mapping[str, str] | None = None,
        conflicts: Sequence[tuple[str, str]] = (),
        with_json: bool = True,
        **options: Any,  # noqa: ANN401  untyped there
    ) -> None:
        options |= {"add_help": False, "formatter_class": _HelpFormatter}
        super().__init__(*arguments, **options)
        self._as_json = False
        self._words: Sequence[str] = ()
        self._hints = hints or {}
        self._conflicts = conflicts
        self._examples = [f"{self.prog} {line}".strip() for line in example.split("\n")]
        self._positionals.title = "arguments"
        self._general_options = self.add_argument_group("all commands")
        if with_json:
            json_help = "print JSON for programs"
            self._general_options.add_argument("--json", action="store_true", help=json_help)
        self._general_options.add_argument(
            "--trust-folder",
            action=_TrustFolder,
            nargs=0,
            default=argparse.SUPPRESS,
            help="trust what this folder's .env sets; see webseam trust",
        )
        self._general_options.add_argument("-h", "--help", action="help", help="show this help")

    @property
    def examples(self) -> Sequence[str]:
        """Command lines that this command takes."""
        return self._examples

    def format_help(self) -> str:
        """Return the help, with the options of all commands last, and examples."""
        self._action_groups.sort(key=lambda group: group is self._general_options)
        return "\n  ".join([f"{super().format_help()}\nexamples:", *self._examples]) + "\n"

    def parse_known_args(  # type: ignore[override]  # argparse has overloads for other namespaces
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the arguments; ``--json`` counts for the errors as well."""
        self._words = sys.argv[1:] if args is None else args
        self._as_json = "--json" in self._words or "--receipt" in self._words
        options, rest = super().parse_known_args(args, namespace)
        return options, self._place_late_words(rest, options)

    def _place_late_words(self, rest: list[str], options: argparse.Namespace) -> list[str]:
        """Add words after an option to the last repeatable argument; argparse drops them."""
        positionals = self._get_positional_actions()
        several = [action for action in positionals if action.nargs in ("+", "*")]
        if not several or any(word.startswith("-") and word != "-" for word in rest):
            return rest
        target = several[-1]
        words = [self._checked_argument(target, word) for word in rest]
        setattr(options, target.dest, [*(getattr(options, target.dest) or ()), *words])
        return []

    def _checked_argument(self, action: argparse.Action, word: str) -> object:
        try:
            value = self._get_value(action, word)
            self._check_value(action, value)
        except argparse.ArgumentError as error:
            self.error(str(error))
        return value

    def parse_args(  # type: ignore[override]  # argparse has overloads for other namespaces
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse the arguments; unknown ones end the command with a suggestion."""
        options, rest = self.parse_known_args(args, namespace)
        if rest:
            self.error(self._explain_extra_words(rest))
        for idle, other in self._conflicts:
            if self._is_given(idle, options) and self._is_given(other, options):
                self.error(f"{idle} does nothing with {other}; leave one of them out")
        return options

    def _is_given(self, option: str, options: argparse.Namespace) -> bool:
        action = self._option_string_actions[option]
        return bool(getattr(options, action.dest) != action.default)

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a value that is not a choice, and suggest the closest one."""
        if not (names := [str(choice) for choice in action.choices or ()]) or str(value) in names:
            return
        begun = [name for name in names if name.startswith(str(value))]
        near = " or ".join(begun) or nearest_name(str(value), names)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(names)}"
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  it has no other name
            hint = self._hints.get(str(value), hint)
            raise argparse.ArgumentError(None, f"there is no command {str(value)!r}; {hint}")
        raise argparse.ArgumentError(action, f"there is no {str(value)!r}; {hint}")

    def _get_value(self, action: argparse.Action, arg_string: str) -> object:
        """Return the value of an argument; name the expected type in the error."""
        try:
            return arg_string if action.type is None else cast("_Read", action.type)(arg_string)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentError(action, str(error)) from None
        except ValueError:
            expected = "a whole number" if action.type is int else "a number"
            message = f"{quote_value(arg_string)} is not {expected}"
            raise argparse.ArgumentError(action, message) from None

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print the help; argparse would hide an error of the stream."""
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        """Print the error and where to find help, and exit."""
        sentence = one_line(self._explain_parse_error(message))
        if self._as_json:
            wrong = failure_envelope(InvalidQuery(field="arguments", reason=sentence))
            print_json({**wrong, "next": [f"{self.prog} --help"]})
        else:
            stop = "" if sentence.endswith("?") else "."
            print(f"{self.prog}: {sentence}{stop} See {self.prog} --help.", file=sys.stderr)
        raise SystemExit(BAD_INPUT)

    def _explain_parse_error(self, message: str) -> str:
        """Return argparse's message, or a clearer one for a missing argument."""
        if _EXPLICIT_MESSAGE in message:
            return _DASHES_HINT
        if not message.startswith(_REQUIRED_MESSAGE):
            return message
        if groups := self._subcommand_groups():
            return f"say which: {', '.join(groups[0].choices)}"
        # A misspelt option may be the reason why another one is missing.
        if unknown := self._first_unknown_option():
            return self._explain_extra_words([unknown])
        names = message.removeprefix(_REQUIRED_MESSAGE).split(", ")
        verb = "is" if len(names) == 1 else "are"
        return f"{' and '.join(names)} {verb} missing, as in: {self._examples[0]}"

    def _first_unknown_option(self) -> str:
        """Return the first long option that this command does not know; empty if there is none."""
        known = tuple(self._option_names())
        for word in self._words:
            option = word.partition("=")[0]
            if word == "--":
                break
            # argparse takes the beginning of an option for the option.
            if option.startswith("--") and not any(name.startswith(option) for name in known):
                return option
        return ""

    def _explain_extra_words(self, words: Sequence[str]) -> str:
        """Return a message about unknown words, with the closest option."""
        option = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
        if hint := self._all_hints().get(option or words[0]):
            return f"it takes no {option or ' '.join(words)!r}; {hint}"
        if not option:
            return f"it takes no {' '.join(words)!r}"
        from webseam.kernel.laws.field_checks import guess_field  # only for a wrong option

        # Do not suggest the same option from a sibling command.
        names = {_field_name(name): name for name in self._option_names() if name != option}
        meant = guess_field(_field_name(option), names)
        hint = f"; {_DASHES_HINT}" if not option.startswith("--") else ""
        hint = f"; did you mean {names[meant]}?" if meant else hint
        return f"there is no option {option}{hint}"

    def _all_hints(self) -> Mapping[str, str]:
        """Return the hints of this command and of those below it, which leave their words to it."""
        hints = dict(self._hints)
        for group in self._subcommand_groups():
            for command in group.choices.values():
                hints |= command._all_hints()  # noqa: SLF001  one of our own
        return hints

    def _option_names(self) -> Iterator[str]:
        yield from self._option_string_actions
        for group in self._subcommand_groups():
            for command in group.choices.values():
                yield from command._option_names()  # noqa: SLF001  one of our own

    def _subcommand_groups(self) -> "list[argparse._SubParsersAction[Parser]]":
        kind = argparse._SubParsersAction  # noqa: SLF001  it has no other name
        return [action for action in self._actions if isinstance(action, kind)]


def _field_name(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


# Name, help text, and a function that returns the exit code.
Action: TypeAlias = tuple[str, str, Callable[[argparse.Namespace], int]]


def add_subcommands(parser: Parser, actions: Sequence[Action]) -> Mapping[str, Parser]:
    """Add the actions of a command; return the parser of each."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, help_text, action in actions:
        description = f"{help_text.capitalize()}."
        command = commands.add_parser(name, help=help_text, description=description)
        command.set_defaults(run=action)
    return commands.choices


def run_subcommand(parser: Parser, arguments: Sequence[str]) -> int:
    """Run the action that ``arguments`` name, and return its exit code."""
    options = parser.parse_args(arguments)
    return int(options.run(options))


def add_backend_options(
    parser: argparse.ArgumentParser, *, with_all: bool = False
) -> "argparse._ArgumentGroup":
    """Add ``--backend`` or ``--route`` or, for ``with_all``, ``--all``; return their group."""
    options = parser.add_argument_group("who answers")
    group = options.add_mutually_exclusive_group()
    group.add_argument(
        "--backend", metavar="NAME", help="who answers; without it the first that is set up"
    )
    group.add_argument(
        "--route",
        metavar="NAMES",
        help="who is asked in turn, e.g. brave,tavily; with a + at once, e.g. searxng+exa",
    )
    if with_all:
        help_text = "ask everybody that is set up at once, and fuse the rows"
        group.add_argument("--all", action="store_true", help=help_text)
    add_explain_option(options)
    options.add_argument("--no-cache", action="store_true", help="ask again, and keep nothing")
    options.add_argument(
        "--max-age",
        type=max_age_option,
        metavar="AGE",
        help="how old a cached answer may be: seconds, or 10m, 2h, 7d; 0 looks again",
    )
    return options


def add_model_options(
    parser: argparse.ArgumentParser, example: str, *, provider: bool = False
) -> None:
    """Add ``--route`` for models, or ``--provider`` where there is one, and ``--explain``."""
    options = parser.add_argument_group("who answers")
    group = options.add_mutually_exclusive_group()
    if provider:
        help_text = "who answers; else the first of model_route, else the only one"
        group.add_argument("--provider", help=help_text)
    group.add_argument(
        "--route", metavar="NAMES", help=f"who is asked in turn, with or without a model: {example}"
    )
    add_explain_option(options)


def add_receipt_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--receipt``, which is ``--json`` with all of the receipt."""
    parser.add_argument(
        "--receipt",
        action=_WholeReceipt,
        nargs=0,
        default=False,
        help="print JSON with all of the receipt, also what holds its default",
    )


def add_explain_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--explain``."""
    parser.add_argument(
        "--explain", action="store_true", help="tell who was asked, why, and what came of it"
    )


def backend_from_options(options: argparse.Namespace) -> str | None:
    """Return the backend that the options name; an endpoint alone is one for the JSON API."""
    named: str | None = options.backend
    alone = named is None and options.route is None
    return "json" if alone and options.endpoint is not None else named


def explain_unused_endpoint(options: argparse.Namespace) -> InvalidQuery | None:
    """Return why nobody would ask the endpoint that the options name; None if somebody does."""
    if options.endpoint is None:
        return None
    if options.backend not in (None, "json"):
        reason = f"is asked by the backend json, and --backend names {quote_value(options.backend)}"
        return InvalidQuery(field="--endpoint", reason=f"{reason}; leave one of them out")
    asked = {name for step in route_from_options(options) for name in step.split("+")}
    if asked and "json" not in asked:
        reason = "is asked by the backend json, which --route does not name"
        return InvalidQuery(field="--endpoint", reason=reason)
    return None


def route_from_options(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the steps of the route that the options name."""
    words: str | None = options.route
    return () if words is None else tuple(word.strip() for word in words.split(","))


def add_length_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--max-chars``."""
    about = "the most characters to show"
    parser.add_argument("--max-chars", type=positive_number_option, help=about)


def add_walled_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--walled``."""
    about = "also take text that stands in the page behind a wall for visitors"
    parser.add_argument("--walled", action="store_true", help=about)


def max_age_option(text: str) -> float:
    """Return seconds from 0, also of a span such as 2h; raise argparse's error for other text."""
    from webseam.kernel.planner.pacing import parse_span  # few commands limit an age

    try:
        seconds = parse_span(text)
        seconds = float(text) if seconds is None else seconds
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < inf:
        message = f"{text!r} is not a number of seconds from 0, nor a span such as 30s, 10m or 7d"
        raise argparse.ArgumentTypeError(message)
    return seconds


def positive_number_option(text: str) -> int:
    """Return a whole number from 1 on; raise argparse's error for any other text."""
    if not text.isdecimal() or int(text) < 1:
        message = f"{text!r} is not a whole number from 1 on"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def settings_from_options(
    block: str, options: Mapping[str, object]
) -> Result[dict[str, object], InvalidQuery]:
    """Return the settings of ``block`` that were given as options; an empty one is refused.

    >>> settings_from_options("serve", {"port": 80, "host": None}).unwrap()
    {'serve.port': 80}
    """
    typed = {name: value for name, value in options.items() if value is not None}
    if (empty := next((name for name, value in typed.items() if value == ""), None)) is not None:
        return Failure(InvalidQuery(field=f"--{empty}", reason="must not be empty"))
    return Success({f"{block}.{name}": value for name, value in typed.items()})


def name_option_in_error(error: WebError, settings: Mapping[str, object]) -> WebError:
    """Turn an error about one of the typed ``settings`` into one about its option."""
    if not isinstance(error, InvalidSetting) or error.setting not in settings:
        return error
    return InvalidQuery(field=f"--{error.setting.rpartition('.')[2]}", reason=error.reason)
