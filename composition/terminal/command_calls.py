"""One tool call of a command, through the user's plugins, and its printed reply."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar

from msgspec import structs
from returns.result import Failure, Result, Success

from webseam.kernel.envelopes import ToolReply
from webseam.kernel.text.display import one_line, strip_hidden
from webseam.ports.errors import AuthFailed, WebError
from webseam.ports.web import SearchOutcome, WebExtractResult

from ..plugins.plugin_choice import load_plugins
from ..session import Approval, Session
from ..settings.settings_root import SettingsRoot
from ..tools.dispatch import Tools
from ..tools.stages import CallOutcome
from .exit_codes import DONE, failure_exit_code
from .output import print_error, print_json, print_warnings
from .streams import redirect_prints
from .terminal_look import read_terminal_look

Value = TypeVar("Value")
SomeRoot = TypeVar("SomeRoot", bound=SettingsRoot)


def open_command_session(root: SettingsRoot) -> Result[Session, WebError]:
    """Return a session with the user's plugins; print the names of broken ones."""
    with redirect_prints():
        plugins = load_plugins(root)
    if isinstance(plugins, Failure):
        return plugins
    for report in plugins.unwrap().broken:
        warning = f"the plugin {report.key} is broken and was left out: {report.problem}"
        print(f"webseam: {warning}", file=sys.stderr)
    has_terminal = sys.stdin is not None and sys.stdin.isatty()
    return Success(
        Session(
            callbacks=plugins.unwrap().callbacks,
            platform="cli",
            approve=_ask_person_approval if has_terminal else None,
            callback_seconds=root.settings.plugins.timeout,
        )
    )


def load_plugins_for_command(root: SomeRoot) -> Result[tuple[SomeRoot, Session], WebError]:
    """Return the session of this command, and the root whose models' calls are part of it."""
    return open_command_session(root).map(
        lambda session: (structs.replace(root, session=lambda: Success(session)), session)
    )


def with_terminal_session(root: SomeRoot) -> SomeRoot:
    """Return a root that loads the user's plugins when its first model is opened."""
    return structs.replace(root, session=partial(open_command_session, root))


async def run_in_command_session(tools: Tools, work: Callable[[], Awaitable[Value]]) -> Value:
    """Run ``work`` inside a session whose start and end are sent to hooks."""
    with redirect_prints():
        await tools.begin()
        value = await work()
        await tools.end()
    return value


def print_tool_reply(
    called: CallOutcome,
    *,
    as_json: bool,
    alone: bool = True,
    seconds: float | None = None,
) -> int:
    """Print the reply of a call that took ``seconds``, and return the exit code."""
    reply = called.reply
    if as_json:
        print_json(reply.envelope, reply.error)
        return DONE if reply.error is None else failure_exit_code(reply.error)
    if reply.error is not None:
        return print_tool_failure(reply, reply.error, alone=alone)
    match called.outcome:
        case SearchOutcome() as outcome:
            print(outcome)
            print_warnings(outcome.receipt.warnings)
        case WebExtractResult() as page:
            _print_page(page, seconds)
        case _:
            print(changed_reply_text(reply.envelope))
    return DONE


def _print_page(page: WebExtractResult, seconds: float | None) -> None:
    look = read_terminal_look(sys.stdout)
    if not look.person:
        print(page)
        return
    from .page_lines import page_screen_lines, print_paged_lines  # noqa: PLC0415  only for a person

    print_paged_lines(page_screen_lines(page, look, seconds), look)


def print_next_steps(errors: Iterable[WebError | None]) -> None:
    """Print what to do about refused keys, once per backend, unless stderr is a terminal."""
    if read_terminal_look(sys.stderr).person:
        return
    refused = [error.backend for error in errors if isinstance(error, AuthFailed)]
    for name in dict.fromkeys(filter(None, refused)):
        step = f"webseam doctor {name} tells where this one came from."
        print(f"webseam setup {name} sets another key; {step}", file=sys.stderr)


def changed_reply_text(envelope: Mapping[str, object]) -> str:
    """Return the text of a result that a plugin changed: rows, a page or text."""
    data = envelope.get("data")
    fields = data if isinstance(data, dict) else {}
    if isinstance(rows := fields.get("web"), list):
        answer = fields.get("answer")
        texts = [strip_hidden(answer)] if isinstance(answer, str) else []
        texts += [_changed_row_text(row) for row in rows if isinstance(row, dict)]
        return "\n\n".join(texts) or "Nothing found."
    if isinstance(pages := fields.get("results"), list) and pages and isinstance(pages[0], dict):
        fields = pages[0]
    text = fields.get("text") or fields.get("content")
    return strip_hidden(text if isinstance(text, str) else str(data))


def _changed_row_text(row: Mapping[str, object]) -> str:
    keys = ("title", "url", "description")
    title, url, about = (one_line(str(row.get(key) or "")) for key in keys)
    lines = [f"{row.get('position', '-')}. {title or '(no title)'}", f"   {url}"]
    return "\n".join([*lines, f"   {about}"] if about else lines)


def print_tool_failure(reply: ToolReply, error: WebError, *, alone: bool = True) -> int:
    """Print a failure, with a plugin's text if it changed it; return the exit code."""
    if (sentence := reply.envelope["error"]) == error.message:
        return print_error(error, as_json=False, alone=alone)
    print(f"webseam: {strip_hidden(str(sentence))}", file=sys.stderr)
    return failure_exit_code(error)


async def _ask_person_approval(approval: Approval) -> bool:
    why = f": {approval.directive.message}" if approval.directive.message else ""
    question = f"{approval.directive.by} asks before {approval.tool} {approval.args}{why}"
    print(f"webseam: {strip_hidden(question)}\nGo on? [y/N] ", end="", file=sys.stderr, flush=True)
    return (await asyncio.to_thread(sys.stdin.readline)).strip().lower() in ("y", "yes")
