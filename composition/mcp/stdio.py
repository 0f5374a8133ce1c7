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
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar

import msgspec

from .batches import BatchAnswers, Reply, batch_refusal
from .exchange import McpExchange, McpSession
from .json_rpc import (
    INVALID_REQUEST,
    Batch,
    Id,
    Json,
    Message,
    Notification,
    Response,
    RpcError,
    RpcRequest,
    error_message,
    read_message,
)
from .mcp_server import SUBSCRIPTION, McpServer, answer_message, await_answer, close_unbegun
from .offer import Outcome

if TYPE_CHECKING:
    import asyncio

Value = TypeVar("Value")
Work: TypeAlias = Coroutine[Any, Any, Value]
Ended: TypeAlias = Callable[[Value | None], None]
Cancel: TypeAlias = Callable[[], object]

MAX_LINE_BYTES = 16 * 1024 * 1024
# How long it may take to let go of what is open.
_GRACE = 2.0
# How often it is looked whether anybody still reads, while answers are waited for, in seconds.
_POLL_SECONDS = 0.5
# Standard error; what a program opens itself has higher numbers.
_LAST_STREAM = 2
_INTERRUPTED = 130


class StdioWriter:
    """Writes messages whole, one at a time. Whoever reads them may be gone."""

    def __init__(self, descriptor: int) -> None:
        """Write to an open file."""
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self.broken = threading.Event()

    def send(self, message: Json | list[Json]) -> None:
        """Write a message, or a batch of them; once nobody reads any more, none is written."""
        data = memoryview(msgspec.json.encode(message) + b"\n")
        with self._lock:
            try:
                while data and not self.broken.is_set():
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                self.broken.set()

    def unread(self) -> bool:
        """Tell whether nobody reads any more, as far as this system says so before a write."""
        import select  # noqa: PLC0415

        if self.broken.is_set() or not hasattr(select, "poll"):
            return self.broken.is_set()
        watch = select.poll()
        watch.register(self._descriptor, 0)
        return bool(watch.poll(0))


def _ignore(_: object) -> None:
    """Do nothing about it."""


class BackgroundLoop:
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

    def submit(self, work: Work[Value], ended: Ended[Value] = _ignore) -> Cancel:
        """Run ``work``; return what cancels it.

        ``ended`` is told what came of it, and None if it was cancelled, even before it began.
        """
        self.start()
        self._ready.wait()
        assert self._loop is not None  # noqa: S101  it is there once it is ready
        loop = self._loop
        tasks: list[asyncio.Task[Value]] = []

        def begin() -> None:
            task = loop.create_task(work)
            task.add_done_callback(partial(_tell, ended))
            tasks.append(task)

        loop.call_soon_threadsafe(begin)
        # The loop keeps the order: there is a task by then.
        return partial(loop.call_soon_threadsafe, _cancel, tasks)

    def finish(self, work: Work[None], seconds: float) -> bool:
        """Run ``work`` and wait for its end, but no longer than that; tell whether it ended."""
        ended = threading.Event()
        self.submit(work, lambda _: ended.set())
        return ended.wait(seconds)

    def _run(self) -> None:
        import asyncio  # noqa: PLC0415

        self._loop = asyncio.new_event_loop()
        self._ready.set()
        self._loop.run_forever()


class StdioServer:
    """One client on standard input and output."""

    def __init__(self, server: McpServer, wire: StdioWriter, background: BackgroundLoop) -> None:
        """Answer with ``server``."""
        self._server = server
        self._wire = wire
        self._background = background
        self._session = McpSession()
        self._open: dict[Id, Cancel] = {}
        self._subscriptions: set[Id] = set()
        self._idle = threading.Condition()

    def take(self, line: bytes) -> None:
        """Take one message or a batch, and answer it now or later."""
        message = read_message(line)
        if not isinstance(message, Batch):
            self._take(message, self._reply)
            return
        refusal = batch_refusal(self._session)
        if refusal is not None:
            self._wire.send(error_message(None, refusal))
            return
        answers = BatchAnswers(message, self._reply)
        for each in message.messages:
            self._take(each, answers.take)

    def refuse_length(self) -> None:
        """Tell that a line was too long to be looked at."""
        what = f"A message may have {MAX_LINE_BYTES} bytes."
        self._wire.send(error_message(None, RpcError(INVALID_REQUEST, what)))

    def settle(self) -> None:
        """Wait until every answer is written: each has its time limit; or until nobody reads."""
        # These have none: they last as long as the client may hear of something.
        for known in list(self._subscriptions):
            self._cancel(known)
        with self._idle:
            while self._open and not self._wire.unread():
                self._idle.wait(_POLL_SECONDS)

    def stop(self) -> None:
        """Cancel what is under way."""
        for cancel in list(self._open.values()):
            cancel()

    def _take(self, message: Message, reply: Reply) -> None:
        if isinstance(message, RpcRequest):
            self._answer(message, reply)
        elif isinstance(message, Notification):
            self._heed(message)
        elif isinstance(message, Response):
            self._server.hear(self._session, message)
        else:
            reply(error_message(message.id, message.refusal))

    def _reply(self, answer: Json | list[Json] | None) -> None:
        if answer is not None:
            self._wire.send(answer)

    def _answer(self, request: RpcRequest, reply: Reply) -> None:
        if request.id in self._open:
            what = "A request with this id is under way."
            reply(error_message(request.id, RpcError(INVALID_REQUEST, what)))
            return
        exchange, outcome = self._server.begin(request, self._session, self._wire.send)
        if isinstance(outcome, dict | RpcError):
            reply(answer_message(exchange, outcome))
            return
        # Entered before it runs, as it may end at once.
        self._open[request.id] = lambda: None
        if request.method == SUBSCRIPTION:
            self._subscriptions.add(request.id)
        ended = partial(self._end, exchange, outcome, reply)
        cancel = self._background.submit(await_answer(exchange, outcome), ended)
        if request.id in self._open:
            self._open[request.id] = cancel

    def _end(
        self, exchange: McpExchange, outcome: Awaitable[Outcome], reply: Reply, answer: Json | None
    ) -> None:
        exchange.end()
        close_unbegun(outcome)
        reply(answer)
        with self._idle:
            self._open.pop(exchange.request.id, None)
            self._subscriptions.discard(exchange.request.id)
            self._idle.notify_all()

    def _heed(self, notification: Notification) -> None:
        """Stop what the client no longer wants; nothing more is told of it."""
        known = notification.params.get("requestId")
        if notification.method == "notifications/cancelled" and isinstance(known, int | str):
            self._cancel(known)

    def _cancel(self, known: Id) -> None:
        cancel = self._open.get(known)
        if cancel is not None:
            cancel()


def _cancel(tasks: list[asyncio.Task[Value]]) -> None:
    for task in tasks:
        task.cancel()


def _tell(ended: Ended[Value], task: asyncio.Task[Value]) -> None:
    """Tell what came of a task; of a bug nothing more is said here."""
    whole = not task.cancelled() and task.exception() is None
    ended(task.result() if whole else None)


def read_lines(source: BinaryIO, too_long: Callable[[], None]) -> Iterator[bytes]:
    """Give each line that is not empty; one that is too long is passed over."""
    while line := source.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = source.readline(MAX_LINE_BYTES)
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

    background = BackgroundLoop()
    offer = WebOffer(_users_tools)
    client = StdioServer(McpServer(offer), wire, background)
    interrupt = Interrupt()
    code = 0
    try:
        with source:
            messages = interrupt.between(read_lines(source, client.refuse_length))
            _listen(messages, client, background, wire)
        client.settle()
    except KeyboardInterrupt:
        interrupt.ignore()
        code = _INTERRUPTED
    client.stop()
    if background.running and not background.finish(offer.aclose(), _GRACE):
        # A thread that waits for a name server, say, would keep the process for minutes.
        os._exit(code)
    return code


def _listen(
    messages: Iterator[bytes], client: StdioServer, background: BackgroundLoop, wire: StdioWriter
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

    import_module(".mcp_calls", __package__)


def private_streams() -> tuple[BinaryIO, StdioWriter]:
    """Take standard input and output for the protocol alone.

    Whatever prints by mistake then writes to standard error, and no child process can read or write
    between two messages.
    """
    _open_closed()
    source = os.fdopen(os.dup(0), "rb")
    wire = StdioWriter(os.dup(1))
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
