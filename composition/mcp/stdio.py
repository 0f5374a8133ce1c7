"""The protocol on standard input and output: one message a line, and nothing else.

The first answer is written before the tools are loaded. What takes time runs in one event loop, on
a thread of its own, so that the reader hears of a cancellation meanwhile.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import msgspec

from .exchange import Exchange, Session
from .offer import Outcome
from .server import Server, answer_message
from .wire import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    Id,
    Json,
    Notification,
    Refusal,
    Request,
    Response,
    error_message,
    read_message,
)

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

Work: TypeAlias = Coroutine[Any, Any, None]

LONGEST_LINE = 16 * 1024 * 1024
# How long answers that are under way may take after the input has ended.
_GRACE = 2.0
# Standard error; what a program opens itself has higher numbers.
_LAST_STREAM = 2
_INTERRUPTED = 130


class Wire:
    """Writes messages whole, one at a time. Whoever reads them may be gone."""

    def __init__(self, descriptor: int) -> None:
        """Write to an open file."""
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self.broken = threading.Event()

    def send(self, message: Json) -> None:
        """Write a message; once nobody reads any more, none is written."""
        data = memoryview(msgspec.json.encode(message) + b"\n")
        with self._lock:
            try:
                while data and not self.broken.is_set():
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                self.broken.set()


class Background:
    """An event loop on a thread of its own, which starts when it is first needed."""

    def __init__(self) -> None:
        """Start nothing yet: loading asyncio takes as long as the first answer may."""
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start it, unless it runs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="webseam-mcp", daemon=True)
            self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it was needed yet."""
        return self._thread is not None

    def submit(self, work: Work) -> Callable[[], None]:
        """Run ``work``; return what cancels it."""
        self.start()
        self._ready.wait()
        import asyncio  # noqa: PLC0415  not before the first answer

        assert self._loop is not None  # noqa: S101  it is there once it is ready
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return partial(_cancel, future)

    def finish(self, work: Work, seconds: float) -> bool:
        """Run ``work`` and wait for its end, but no longer than that; tell whether it ended."""
        ended = threading.Event()

        async def whole() -> None:
            try:
                await work
            finally:
                ended.set()

        self.submit(whole())
        return ended.wait(seconds)

    def _run(self) -> None:
        import asyncio  # noqa: PLC0415

        self._loop = asyncio.new_event_loop()
        self._ready.set()
        self._loop.run_forever()


class StdioServer:
    """One client on standard input and output."""

    def __init__(self, server: Server, wire: Wire, background: Background) -> None:
        """Answer with ``server``."""
        self._server = server
        self._wire = wire
        self._background = background
        self._session = Session()
        self._open: dict[Id, Callable[[], None]] = {}
        self._idle = threading.Condition()

    def take(self, line: bytes) -> None:
        """Take one message, and answer it now or later."""
        message = read_message(line)
        if isinstance(message, Request):
            self._answer(message)
        elif isinstance(message, Notification):
            self._heed(message)
        elif isinstance(message, Response):
            self._server.hear(self._session, message)
        else:
            self._wire.send(error_message(message.id, message.refusal))

    def refuse_length(self) -> None:
        """Tell that a line was too long to be looked at."""
        what = f"A message may have {LONGEST_LINE} bytes."
        self._wire.send(error_message(None, Refusal(INVALID_REQUEST, what)))

    def settle(self, seconds: float) -> None:
        """Wait until every answer is written, but no longer than that; cancel the rest."""
        with self._idle:
            self._idle.wait_for(lambda: not self._open or self._wire.broken.is_set(), seconds)
        for cancel in list(self._open.values()):
            cancel()

    def _answer(self, request: Request) -> None:
        if request.id in self._open:
            what = "A request with this id is under way."
            self._wire.send(error_message(request.id, Refusal(INVALID_REQUEST, what)))
            return
        exchange, outcome = self._server.begin(request, self._session, self._wire.send)
        if isinstance(outcome, dict | Refusal):
            self._wire.send(answer_message(exchange, outcome))
            return
        # Entered before it runs, as it may end at once.
        self._open[request.id] = lambda: None
        cancel = self._background.submit(self._work(exchange, outcome))
        if request.id in self._open:
            self._open[request.id] = cancel

    async def _work(self, exchange: Exchange, outcome: Awaitable[Outcome]) -> None:
        try:
            self._wire.send(answer_message(exchange, await outcome))
        except Exception as error:  # noqa: BLE001  the boundary: a bug is told, and holds no secret
            what = f"This is a bug in webseam ({type(error).__name__})."
            self._wire.send(answer_message(exchange, Refusal(INTERNAL_ERROR, what)))
        finally:
            exchange.end()
            with self._idle:
                self._open.pop(exchange.request.id, None)
                self._idle.notify_all()

    def _heed(self, notification: Notification) -> None:
        """Stop what the client no longer wants; nothing more is told of it."""
        known = notification.params.get("requestId")
        if notification.method == "notifications/cancelled" and isinstance(known, int | str):
            cancel = self._open.get(known)
            if cancel is not None:
                cancel()


def _cancel(future: Future[None]) -> None:
    future.cancel()


def lines_of(source: BinaryIO, too_long: Callable[[], None]) -> Iterator[bytes]:
    """Give each line that is not empty; one that is too long is passed over."""
    while line := source.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = source.readline(LONGEST_LINE)
            too_long()
        elif line.strip():
            yield line


class Interrupt:
    """Ctrl-C, heeded between two messages: in the middle of one it would leave work half begun."""

    def __init__(self) -> None:
        """Take it over, unless it is ignored or somebody else's; threads never hear of it."""
        import signal  # noqa: PLC0415

        self._waits = True
        self._came = False
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._take)

    def between(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """Yield lines; raise ``KeyboardInterrupt`` only while waiting for the next."""
        while True:
            self._waits = True
            if self._came:
                raise KeyboardInterrupt
            line = next(lines, None)
            if line is None:
                return
            self._waits = False
            yield line

    def ignore(self) -> None:
        """End in peace: who presses Ctrl-C presses it twice."""
        import signal  # noqa: PLC0415

        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _take(self, *_: object) -> None:
        self._came = True
        if self._waits:
            raise KeyboardInterrupt


def serve() -> int:
    """Answer on standard input and output until the input or the user ends it; return the code."""
    _hint()
    source, wire = private_streams()
    from .web import WebOffer  # noqa: PLC0415  after the streams are ours alone

    background = Background()
    offer = WebOffer(_users_tools)
    client = StdioServer(Server(offer), wire, background)
    interrupt = Interrupt()
    code = 0
    try:
        with source:
            messages = interrupt.between(lines_of(source, client.refuse_length))
            _listen(messages, client, background, wire)
    except KeyboardInterrupt:
        interrupt.ignore()
        code = _INTERRUPTED
    client.settle(0 if code else _GRACE)
    if background.running and not background.finish(offer.aclose(), _GRACE):
        # A thread that waits for a name server, say, would keep the process for minutes.
        os._exit(code)
    return code


def _listen(
    messages: Iterator[bytes], client: StdioServer, background: Background, wire: Wire
) -> None:
    """Take messages until there are no more, or nobody reads the answers."""
    first = True
    for line in messages:
        client.take(line)
        if first:
            # Behind the first answer, so that it does not wait for this.
            background.submit(_warm())
            first = False
        if wire.broken.is_set():
            break


def _users_tools() -> Any:  # noqa: ANN401  a toolset, whose module is not to be loaded yet
    from .toolset import UsersTools  # noqa: PLC0415

    return UsersTools()


async def _warm() -> None:
    """Load what the first call needs.

    In the loop itself, which holds up the calls that wait for it anyway: two threads that load the
    same modules can each find the other's half loaded.
    """
    from importlib import import_module  # noqa: PLC0415

    import_module(".calls", __package__)


def private_streams() -> tuple[BinaryIO, Wire]:
    """Take standard input and output for the protocol alone.

    Whatever prints by mistake then writes to standard error, and no child process can read or write
    between two messages.
    """
    _open_closed()
    source = os.fdopen(os.dup(0), "rb")
    wire = Wire(os.dup(1))
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return source, wire


def _open_closed() -> None:
    """Put nothing where a standard stream is closed: what is opened takes the lowest number."""
    while (lowest := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
        pass
    os.close(lowest)


def _hint() -> None:
    if sys.stdin is not None and sys.stdin.isatty():
        words = (
            "webseam mcp: waiting for a client on standard input, which a program starts this for."
            "\n`webseam mcp install CLIENT` has one do so; `webseam mcp check` tries it; "
            "Ctrl-D ends."
        )
        sys.stderr.write(f"{words}\n")
