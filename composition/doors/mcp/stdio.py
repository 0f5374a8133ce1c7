"""MCP on standard input and output: one message per line.

The first answer is written before the tools are loaded. Slow work runs in one event loop on its own
thread, so the reader still sees cancellations.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeVar

import msgspec

from . import json_rpc, mcp_server
from .batches import BatchAnswers, Reply, rpc_batch_refusal
from .exchange import McpExchange, McpSession
from .offer import Outcome

if TYPE_CHECKING:
    import asyncio

Value = TypeVar("Value")
Work: TypeAlias = Coroutine[Any, Any, Value]
Ended: TypeAlias = Callable[[Value | None], None]
Cancel: TypeAlias = Callable[[], object]

MAX_LINE_BYTES = 16 * 1024 * 1024
# Time to close open resources.
_CLOSE_SECONDS = 2.0
# How often to check for a closed reader while answers are pending.
_POLL_SECONDS = 0.5
# Standard error; files that a program opens get higher numbers.
_LAST_STANDARD_STREAM = 2
_INTERRUPTED_EXIT_CODE = 130


class StdioWriter:
    """Writes complete messages, one at a time; the reader may be gone."""

    def __init__(self, descriptor: int) -> None:
        """Write to an open file descriptor."""
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self.broken = threading.Event()

    def send(self, message: json_rpc.Json | list[json_rpc.Json]) -> None:
        """Write a message or a batch; write nothing once the reader is gone."""
        data = memoryview(msgspec.json.encode(message) + b"\n")
        with self._lock:
            try:
                while data and not self.broken.is_set():
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                self.broken.set()

    def is_reader_gone(self) -> bool:
        """Return whether the reader is gone, where the system reports that before a write."""
        import select

        if self.broken.is_set() or not hasattr(select, "poll"):
            return self.broken.is_set()
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return bool(poll.poll(0))


def _ignore_task_result(_: object) -> None:
    """Do nothing."""


class BackgroundLoop:
    """An event loop on its own thread, started on first use."""

    def __init__(self) -> None:
        """Start nothing yet: importing asyncio takes as long as the first answer may."""
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it runs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run_loop, name="webseam-mcp", daemon=True)
            self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the loop was started."""
        return self._thread is not None

    def submit(self, work: Work[Value], ended: Ended[Value] = _ignore_task_result) -> Cancel:
        """Run ``work``; return a function that cancels it.

        ``ended`` gets the result, or None if it was cancelled, even before its start.
        """
        self.start()
        self._ready.wait()
        assert self._loop is not None  # noqa: S101  it is there once it is ready
        loop = self._loop
        tasks: list[asyncio.Task[Value]] = []

        def start_task() -> None:
            task = loop.create_task(work)
            task.add_done_callback(partial(_report_request_task_end, ended))
            tasks.append(task)

        loop.call_soon_threadsafe(start_task)
        # The loop runs callbacks in order, so the task exists by then.
        return partial(loop.call_soon_threadsafe, _cancel_request_tasks, tasks)

    def finish(self, work: Work[None], seconds: float) -> bool:
        """Run ``work`` and wait up to ``seconds``; return whether it ended."""
        ended = threading.Event()
        self.submit(work, lambda _: ended.set())
        return ended.wait(seconds)

    def _run_loop(self) -> None:
        import asyncio

        self._loop = asyncio.new_event_loop()
        self._ready.set()
        self._loop.run_forever()


class StdioServer:
    """One client on standard input and output."""

    def __init__(
        self, server: mcp_server.McpServer, wire: StdioWriter, background: BackgroundLoop
    ) -> None:
        """Answer with ``server``."""
        self._server, self._wire, self._background = server, wire, background
        self._session = McpSession()
        self._open_requests: dict[json_rpc.Id, Cancel] = {}
        self._subscriptions: set[json_rpc.Id] = set()
        self._idle = threading.Condition()
        self._watches_reader = False

    def handle_line(self, line: bytes) -> None:
        """Take one message or a batch, and answer it now or later."""
        message = json_rpc.read_mcp_message(line)
        if not isinstance(message, json_rpc.Batch):
            self._handle_interrupt(message, self._send_answer)
            return
        refusal = rpc_batch_refusal(self._session)
        if refusal is not None:
            self._wire.send(json_rpc.rpc_error_message(None, refusal))
            return
        answers = BatchAnswers(message, self._send_answer)
        for part in message.messages:
            self._handle_interrupt(part, answers.add_answer)

    def refuse_long_line(self) -> None:
        """Send an error for a line that is too long."""
        text = f"A message may have {MAX_LINE_BYTES} bytes."
        self._wire.send(
            json_rpc.rpc_error_message(None, json_rpc.RpcError(json_rpc.INVALID_REQUEST, text))
        )

    def wait_for_answers(self) -> None:
        """Wait until all answers are written, or until the reader is gone."""
        # Subscriptions have no time limit: they last until the client leaves.
        for request_id in list(self._subscriptions):
            self._cancel_request(request_id)
        with self._idle:
            while self._open_requests and not self._wire.is_reader_gone():
                self._idle.wait(_POLL_SECONDS)

    def cancel_requests(self) -> None:
        """Cancel all open requests."""
        for cancel in list(self._open_requests.values()):
            cancel()

    def _handle_interrupt(self, message: json_rpc.Message, reply: Reply) -> None:
        if isinstance(message, json_rpc.RpcRequest):
            self._answer_request(message, reply)
        elif isinstance(message, json_rpc.Notification):
            request_id = message.params.get("requestId")
            if message.method == "notifications/cancelled" and isinstance(request_id, int | str):
                self._cancel_request(request_id)
        elif isinstance(message, json_rpc.Response):
            self._server.receive_answer(self._session, message)
        else:
            reply(json_rpc.rpc_error_message(message.id, message.refusal))

    def _send_answer(self, answer: json_rpc.Json | list[json_rpc.Json] | None) -> None:
        if answer is not None:
            self._wire.send(answer)

    def _answer_request(self, request: json_rpc.RpcRequest, reply: Reply) -> None:
        if request.id in self._open_requests:
            text = "A request with this id is under way."
            reply(
                json_rpc.rpc_error_message(
                    request.id, json_rpc.RpcError(json_rpc.INVALID_REQUEST, text)
                )
            )
            return
        exchange, outcome = self._server.begin(request, self._session, self._wire.send)
        if isinstance(outcome, dict | json_rpc.RpcError):
            reply(mcp_server.mcp_answer_message(exchange, outcome))
            return
        # Register it first, because it may end at once.
        with self._idle:
            self._open_requests[request.id] = lambda: None
            is_first, self._watches_reader = not self._watches_reader, True
        if is_first:
            self._background.submit(self._cancel_when_reader_leaves())
        if request.method == mcp_server.SUBSCRIPTION_METHOD:
            self._subscriptions.add(request.id)
        ended = partial(self._end_request, exchange, outcome, reply)
        cancel = self._background.submit(mcp_server.await_mcp_answer(exchange, outcome), ended)
        if request.id in self._open_requests:
            self._open_requests[request.id] = cancel

    async def _cancel_when_reader_leaves(self) -> None:
        """Cancel open requests once nobody reads their answers: a backend may be paid by the call.

        The input may stay open, and a closed reader shows only in a poll or a write.
        """
        import asyncio  # with the first request

        while True:
            with self._idle:
                if not self._open_requests:
                    self._watches_reader = False
                    return
            if self._wire.is_reader_gone():
                self.cancel_requests()
            await asyncio.sleep(_POLL_SECONDS)

    def _end_request(
        self,
        exchange: McpExchange,
        outcome: Awaitable[Outcome],
        reply: Reply,
        answer: json_rpc.Json | None,
    ) -> None:
        exchange.end()
        mcp_server.close_unbegun_request(outcome)
        reply(answer)
        with self._idle:
            self._open_requests.pop(exchange.request.id, None)
            self._subscriptions.discard(exchange.request.id)
            self._idle.notify_all()

    def _cancel_request(self, request_id: json_rpc.Id) -> None:
        cancel = self._open_requests.get(request_id)
        if cancel is not None:
            cancel()


def _cancel_request_tasks(tasks: list[asyncio.Task[Value]]) -> None:
    for task in tasks:
        task.cancel()


def _report_request_task_end(ended: Ended[Value], task: asyncio.Task[Value]) -> None:
    """Pass the result of a task to ``ended``; None after a cancellation or a bug."""
    is_complete = not task.cancelled() and task.exception() is None
    ended(task.result() if is_complete else None)


def read_stdio_lines(source: BinaryIO, too_long: Callable[[], None]) -> Iterator[bytes]:
    """Yield each non-empty line; skip one that is too long and call ``too_long``."""
    while line := source.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = source.readline(MAX_LINE_BYTES)
            too_long()
        elif line.strip():
            yield line


class Interrupt:
    """Handles Ctrl-C between two messages: within one it would leave work half done."""

    def __init__(self) -> None:
        """Handle SIGINT on the main thread, unless another handler is set or it is ignored."""
        import signal

        self._is_waiting = True
        self._is_interrupted = False
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle_interrupt)

    def interruptible_lines(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """Yield lines; raise ``KeyboardInterrupt`` only while waiting for the next."""
        while True:
            self._is_waiting = True
            if self._is_interrupted:
                raise KeyboardInterrupt
            line = next(lines, None)
            if line is None:
                return
            self._is_waiting = False
            yield line

    def ignore_interrupts(self) -> None:
        """Ignore further Ctrl-C during shutdown, because users often press it twice."""
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _handle_interrupt(self, *_: object) -> None:
        self._is_interrupted = True
        if self._is_waiting:
            raise KeyboardInterrupt


def serve_mcp_stdio() -> int:
    """Serve on standard input and output until the input ends or Ctrl-C; return the exit code."""
    _print_hint()
    source, wire = private_stdio_streams()
    # After the streams are ours alone.
    from .tool_signs import has_optional_tool_signs
    from .web_offer import WebOffer

    background = BackgroundLoop()
    offer = WebOffer(_make_toolset, has_optional_tool_signs)
    server = mcp_server.McpServer(offer)
    client = StdioServer(server, wire, background)
    interrupt = Interrupt()
    code = 0
    try:
        with source:
            messages = interrupt.interruptible_lines(
                read_stdio_lines(source, client.refuse_long_line)
            )
            _take_messages(messages, client, background, wire)
        client.wait_for_answers()
    except KeyboardInterrupt:
        interrupt.ignore_interrupts()
        code = _INTERRUPTED_EXIT_CODE
    client.cancel_requests()

    async def close() -> None:
        await server.tasks.aclose()
        await offer.aclose()

    if background.running and not background.finish(close(), _CLOSE_SECONDS):
        # A thread in a DNS lookup, for example, would keep the process alive for minutes.
        os._exit(code)
    return code


def _take_messages(
    messages: Iterator[bytes], client: StdioServer, background: BackgroundLoop, wire: StdioWriter
) -> None:
    """Take messages until the input ends or the reader is gone."""
    is_loading = False
    for line in messages:
        client.handle_line(line)
        if not is_loading and b'"tools/' in line:
            # After the list of tools, so that it does not wait for the import.
            is_loading = True
            background.submit(_load_calls())
        if wire.broken.is_set():
            break


def _make_toolset() -> Any:  # noqa: ANN401  a toolset, whose module is not to be loaded yet
    from .toolset import UsersTools

    return UsersTools()


async def _load_calls() -> None:
    """Import what the first call needs.

    In the loop itself, which delays only calls that need it anyway: two threads that import the
    same modules can each see the other's half-loaded module.
    """
    from importlib import import_module

    import_module(".mcp_calls", __package__)


def private_stdio_streams() -> tuple[BinaryIO, StdioWriter]:
    """Reserve standard input and output for the protocol.

    Stray prints then go to standard error, and no child process can read or write between two
    messages.
    """
    # Fill closed standard streams with devnull: a newly opened file takes the lowest number.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD_STREAM:
        pass
    os.close(descriptor)
    source = os.fdopen(os.dup(0), "rb")
    wire = StdioWriter(os.dup(1))
    os.dup2(2, 1)
    devnull = os.open(os.devnull, os.O_RDONLY)
    os.dup2(devnull, 0)
    os.close(devnull)
    return source, wire


def _print_hint() -> None:
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(
            "webseam mcp: waiting on standard input for the MCP client that starts this command.\n"
            "`webseam mcp install CLIENT` sets one up; `webseam mcp check` tries it; Ctrl-D ends.\n"
        )
