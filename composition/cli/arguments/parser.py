"""Command lines taken apart; what is wrong is one line that names the flag, or JSON."""

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from ....kernel.envelopes import failure_envelope
from ....kernel.text.display import one_line
from ....ports.errors import InvalidQuery
from .. import TRUST_FOLDER
from ..exits import BAD_INPUT
from ..output import say_json

_UNKNOWN = "unrecognized arguments: "


class _TrustFolder(argparse.Action):
    """Says yes to the working folder, as its variable does."""

    def __call__(self, *_arguments: object) -> None:
        os.environ[TRUST_FOLDER] = "1"


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` whose errors are short, guess at typos and may be JSON."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as argparse has it
        super().__init__(*arguments, **options)
        self._as_json = False
        self.add_argument(
            "--trust-folder",
            action=_TrustFolder,
            nargs=0,
            default=argparse.SUPPRESS,
            help="say yes to what this folder's .env sets, and remember it: see webseam trust",
        )

    def parse_known_args(  # type: ignore[override]  # argparse has overloads for other namespaces
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        """Take the arguments apart; ``--json`` counts for the errors as well."""
        words = sys.argv[1:] if args is None else args
        self._as_json = "--json" in words
        known: tuple[argparse.Namespace, list[str]] = super().parse_known_args(args, namespace)
        return known

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse what is none of the choices, with a guess at the one that was meant."""
        names = [str(choice) for choice in action.choices or ()]
        if not names or str(value) in names:
            return
        near = get_close_matches(str(value), names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        raise argparse.ArgumentError(action, f"there is no {str(value)!r}; {hint}")

    def _get_value(self, action: argparse.Action, arg_string: str) -> object:
        """Return the value of an argument; what is no number is said to be none."""
        words = {int: "a whole number", float: "a number"}
        try:
            value: object = super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in words:
                raise
            message = f"{arg_string!r} is not {words[action.type]}"
            raise argparse.ArgumentError(action, message) from None
        return value

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to learn more, and end."""
        near = self._guess(message)
        if self._as_json:
            reason = one_line(f"{message}; near it: {near}" if near else message)
            say_json(failure_envelope(InvalidQuery(field="arguments", reason=reason)))
        else:
            guess = f" Did you mean {near}?" if near else ""
            help_ = f"See {self.prog} --help."
            stop = "" if message.endswith("?") else "."
            print(f"{self.prog}: {one_line(message)}{stop}{guess} {help_}", file=sys.stderr)
        raise SystemExit(BAD_INPUT)

    def _guess(self, message: str) -> str:
        """Return what was meant by an option that is none of this command's."""
        word = message.removeprefix(_UNKNOWN).split(" ")[0].split("=")[0]
        if not message.startswith(_UNKNOWN) or not word.startswith("-"):
            return ""
        near = get_close_matches(word, self._option_string_actions, 1)
        return near[0] if near else ""
