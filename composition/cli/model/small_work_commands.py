"""``webseam model title``, ``summary`` and ``describe``: small work that a model does."""

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.pages.formats.detection.magic import sniff_media_type
from ....kernel.auxiliary import MAX_INPUT_CHARS, MAX_PICTURE_BYTES, summary_of, title_of
from ....kernel.text.display import strip_hidden
from ....ports.errors import InvalidQuery, NobodyAnswered, WebError
from ....ports.models.chat import ChatRequest, NormalizedResponse, StreamItem
from ....ports.planning.attempts import BackendAttempt
from ...calls.open_backends import OpenModel, close_after
from ...settings.schema import Settings
from ...wiring.backends.backend_rows import OpenSession
from ...wiring.models.small_work_models import SmallWorker, open_auxiliary, open_vision
from ..arguments.options import add_explain
from ..arguments.parser import Parser
from ..command_calls import running_plugins
from ..exit_codes import DONE
from ..output import print_error, print_json
from ..screen.attempts import print_attempts

Open: TypeAlias = Callable[[Settings, OpenSession], Result[SmallWorker, WebError]]
Work: TypeAlias = Callable[[SmallWorker, bytes], Awaitable[Result[str, WebError]]]
_DEFAULT_SUMMARY_CHARS = 1000


def add_auxiliary(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Add the three commands."""
    for name, what in (
        ("title", "write a title for a text"),
        ("summary", "write a summary of a text"),
        ("describe", "put a picture into words"),
    ):
        setting = "vision" if name == "describe" else "small_work"
        parser = commands.add_parser(
            name,
            help=what,
            description=f"{what.capitalize()}, with the model that {setting}.provider and "
            f"{setting}.model name, or with the first of {setting}.route that answers.",
        )
        parser.add_argument("file", help="a file, or - for standard input")
        if name == "summary":
            parser.add_argument(
                "--max-chars",
                type=int,
                default=_DEFAULT_SUMMARY_CHARS,
                help="about so many characters",
            )
        add_explain(parser)
        parser.add_argument("--json", action="store_true", help="print JSON for programs")
        parser.set_defaults(run={"title": _title, "summary": _summary, "describe": _describe}[name])


def _title(options: argparse.Namespace, settings: Settings) -> int:
    async def work(worker: SmallWorker, body: bytes) -> Result[str, WebError]:
        return await title_of(body.decode(), worker.model, worker.name)

    return _run(options, settings, open_auxiliary, work)


def _summary(options: argparse.Namespace, settings: Settings) -> int:
    async def work(worker: SmallWorker, body: bytes) -> Result[str, WebError]:
        most = options.max_chars
        return await summary_of(body.decode(), worker.model, worker.name, most=most)

    return _run(options, settings, open_auxiliary, work)


def _describe(options: argparse.Namespace, settings: Settings) -> int:
    async def work(worker: SmallWorker, body: bytes) -> Result[str, WebError]:
        return await worker.describe(body, sniff_media_type(body) or "")

    return _run(options, settings, open_vision, work)


def _run(options: argparse.Namespace, settings: Settings, opened: Open, work: Work) -> int:
    body = _load(options.file, MAX_PICTURE_BYTES if opened is open_vision else 4 * MAX_INPUT_CHARS)
    if isinstance(body, Failure):
        return print_error(body.failure(), as_json=options.json)
    worker = opened(settings, partial(running_plugins, settings))
    if isinstance(worker, Failure):
        return print_error(worker.failure(), as_json=options.json)
    model = _Noting(worker.unwrap().model)
    noting = SmallWorker(model=model, name=worker.unwrap().name)
    text = asyncio.run(close_after(noting, work(noting, body.unwrap())))
    if options.explain and not options.json and model.attempts:
        print_attempts(model.attempts)
    if isinstance(text, Failure):
        return print_error(text.failure(), as_json=options.json)
    if options.json:
        attempts = msgspec.to_builtins(model.attempts)
        print_json({"success": True, "data": {"text": text.unwrap(), "attempts": attempts}})
    else:
        print(strip_hidden(text.unwrap()))
    return DONE


class _Noting:
    """A model that notes who was asked for its last answer."""

    def __init__(self, model: OpenModel) -> None:
        self._model = model
        self.name = model.name
        self.attempts: tuple[BackendAttempt, ...] = ()

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        answer = await self._model.complete(request)
        if not isinstance(answer, Failure):
            self.attempts = answer.unwrap().attempts
        elif isinstance(error := answer.failure(), NobodyAnswered):
            self.attempts = error.attempts
        return answer

    def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        return self._model.stream(request)

    async def aclose(self) -> None:
        await self._model.aclose()


def _load(name: str, most: int) -> Result[bytes, WebError]:
    try:
        if name == "-":
            body = sys.stdin.buffer.read(most + 1)
        else:
            with Path(name).open("rb") as file:
                body = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "not a file name").lower()
        return _refuse(f"{name!r} cannot be read: {reason}")
    if len(body) > most:
        return _refuse(f"is larger than {most} bytes")
    try:
        if sniff_media_type(body) is None:
            body.decode()
    except UnicodeDecodeError:
        return _refuse("is not text in UTF-8")
    return Success(body)


def _refuse(reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="file", reason=reason))
