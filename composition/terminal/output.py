"""The printed output of commands: text for a person, or JSON for programs."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO, TypeVar, get_args

import msgspec
from returns.result import Failure, Result

from webseam.kernel.envelopes import failure_envelope
from webseam.kernel.text.display import one_line, strip_hidden
from webseam.ports.errors import CheckFailed, EmptyContent, WebError
from webseam.ports.result_texts import left_out_text
from webseam.ports.tools import ToolPart
from webseam.ports.web import WebExtractResult

from ..settings.remedies import retry_advice
from .exit_codes import DONE, failure_exit_code
from .streams import can_stdout_encode
from .terminal_look import read_terminal_look

Value = TypeVar("Value")
_OFFERED_PARTS = frozenset(get_args(ToolPart))


def print_json_line(document: dict[str, object], stream: TextIO) -> None:
    """Print a JSON document as one line, at once; in ASCII, which every stream can carry."""
    from json import dumps  # few commands print lines

    print(dumps(msgspec.json.decode(_encode_json_document(document))), file=stream, flush=True)


def _encode_json_document(document: dict[str, object]) -> bytes:
    try:
        return msgspec.json.encode(document)
    except UnicodeEncodeError:
        # A file name or a variable may hold bytes that are not UTF-8.
        return msgspec.json.encode(printable_utf8(document))


def print_json(
    envelope: dict[str, object],
    error: WebError | None = None,
    *,
    short: type[msgspec.Struct] | None = None,
) -> None:
    """Print one JSON document; with an ``error``, add the commands that may fix it.

    Its receipt has no defaults if ``short`` is the kind of it.
    """
    if short is not None and "receipt" in envelope:
        from .short_receipts import short_receipt  # only for an answer as JSON

        envelope = {**envelope, "receipt": short_receipt(envelope["receipt"], short)}
    if error is not None:
        from .failure_lines import next_step_commands  # only for a failure

        envelope = {**envelope, "next": [step.command for step in next_step_commands(error)]}
    encoded = _encode_json_document(envelope)
    text = msgspec.json.format(encoded, indent=2).decode()
    if not can_stdout_encode(text):
        from json import dumps  # which escapes every letter that is not ASCII

        text = dumps(msgspec.json.decode(encoded), indent=2)
    print(text)


def printable_utf8(value: object) -> object:
    r"""Return a value whose texts can all be written as UTF-8.

    >>> printable_utf8({"a": ["x\udcff"]})
    {'a': ['x?']}
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {printable_utf8(name): printable_utf8(item) for name, item in value.items()}
    return [printable_utf8(item) for item in value] if isinstance(value, list | tuple) else value


def print_error(error: WebError, *, as_json: bool, alone: bool = True) -> int:
    """Print an error and, if ``alone`` or at a terminal, what to type; return the exit code."""
    if as_json:
        print_json(failure_envelope(error), error)
        return failure_exit_code(error)
    look = read_terminal_look(sys.stderr)
    if look.person:
        from .failure_lines import failure_lines  # only for a person

        print("\n".join(failure_lines(error, look)), file=sys.stderr)
    else:
        hint = _printed_error_hint(error, alone=alone)
        print(f"webseam: {strip_hidden(error.message)}{hint}", file=sys.stderr)
    return failure_exit_code(error)


def unwrap_or_exit(outcome: Result[Value, WebError], options: Namespace | None = None) -> Value:
    """Return the value of an outcome; end the command with its error, as JSON for ``--json``."""
    if isinstance(outcome, Failure):
        as_json = options is not None and options.json
        raise SystemExit(print_error(outcome.failure(), as_json=as_json))
    return outcome.unwrap()


def print_verdict(data: object, problem: CheckFailed | None, commands: Sequence[str] = ()) -> None:
    """Print what a check found as JSON; ``commands`` may help if there is a problem."""
    envelope: dict[str, object] = {"success": True}
    if problem is not None:
        envelope = {**failure_envelope(problem), "next": list(commands)}
    print_json({**envelope, "data": data})


def print_data(data: object, text: str, options: Namespace) -> int:
    """Print the data of a command for ``--json``, else its text; return the exit code."""
    if options.json:
        print_json({"success": True, "data": msgspec.to_builtins(data)})
    else:
        print(text)
    return DONE


def print_warnings(warnings: Iterable[str]) -> None:
    """Print warnings to standard error, one a line."""
    for warning in warnings:
        print(f"webseam: {one_line(warning)}", file=sys.stderr)


def print_page_notes(outcome: object, *, page_name: str = "") -> None:
    """Print the notes and warnings of a page, with its ``page_name`` if there are several."""
    if not isinstance(outcome, WebExtractResult):
        return
    if lines := [*outcome.notes, *_rest_lines(outcome), *outcome.receipt.warnings]:
        sys.stdout.flush()
        print_warnings(f"{note} ({page_name})" if page_name else note for note in lines)


def _rest_lines(page: WebExtractResult) -> Iterator[str]:
    """Yield what is known of the text of a page that is not shown, and how to read it."""
    if page.complete is False:
        cuts = f": {', '.join(page.cuts)}" if page.cuts else ""
        yield f"not all text of the page was read{cuts}"
    left_out = [entry for entry in page.left_out or () if entry.words]
    if not left_out:
        return
    line = f"left out: {left_out_text(left_out)}"
    # Agents read this, too, so it does not lead to text that the page hides.
    kept = [entry for entry in left_out if entry.handle and entry.kind in _OFFERED_PARTS]
    first = next(iter(kept), None)
    if first is not None:
        line += f"; to read it: webseam more {first.handle} --part {first.kind}"
    yield line


def _printed_error_hint(error: WebError, *, alone: bool) -> str:
    if isinstance(error, EmptyContent) and error.reason == "needs_browser":
        return " Try --render auto."
    hope = f" {retry_advice(error)}".rstrip()
    if not alone:
        return hope
    from .failure_lines import next_step_commands  # only for a failure

    if (step := next(iter(next_step_commands(error)), None)) is not None:
        return f"{hope} {step.label}: {step.command}"
    # A message about the setup names the setting and its place.
    is_clear = error.retryable or error.facts.exit == "not_configured"
    return hope if is_clear else f" {error.remedy_for('terminal')}".rstrip()
