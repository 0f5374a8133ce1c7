"""Tool calls by name: arguments in, JSON out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from returns.result import Failure, Result, Success

from webseam.adapters.plugins.callbacks import CallbackThread
from webseam.kernel.envelopes import error_reply
from webseam.ports.errors import InvalidQuery, WebError

from ..session import HookNotifier, Session
from .stages import CallOutcome, CallStages
from .web_tools import Tool


class Tools:
    """Tools for an agent, and one session of calls to them."""

    def __init__(self, tools: Iterable[Tool], around: Session | None = None) -> None:
        """Offer the tools that are set up; calling another one returns what to set."""
        self._by_name = {tool.name: tool for tool in tools}
        usable = (tool for tool in self._by_name.values() if tool.unavailable is None)
        self.tools = tuple(tool for tool in usable if tool.offered)
        self.around = around or Session()

    def __iter__(self) -> Iterator[Tool]:
        """Iterate over the tools that are set up."""
        return iter(self.tools)

    async def call(self, name: str, args: object, **ids: str) -> str:
        """Call a tool and return its envelope as JSON text. Never raises; cancellation passes.

        ``ids`` are those of the caller: ``session_id``, ``task_id``, ``turn_id``,
        ``api_request_id``, ``tool_call_id``.
        """
        return (await self.ask(name, args, **ids)).reply.text

    async def ask(self, name: str, args: object, **ids: str) -> CallOutcome:
        """Call a tool and return the reply, with the typed outcome behind it."""
        if (tool := self._by_name.get(name)) is None:
            return CallOutcome(reply=error_reply(self._unknown_tool_error()))
        async with CallbackThread(self.around.callback_seconds) as lane:
            return await CallStages(tool, self.around, lane, ids).run_stages(args)

    async def run(self, name: str, args: Mapping[str, object]) -> Result[object, WebError]:
        """Run a tool directly, without JSON or hooks, and return its outcome."""
        if (tool := self._by_name.get(name)) is None:
            return Failure(self._unknown_tool_error())
        if tool.unavailable is not None:
            return Failure(tool.unavailable)
        if tool.ask is not None:
            return await tool.ask(args)
        if not isinstance(answered := await tool.run(args, ()), Success):
            return Failure(answered.failure())
        answer = answered.unwrap()
        return Success(answer.outcome) if answer.error is None else Failure(answer.error)

    def explain_unavailable(self, name: str) -> WebError | None:
        """Return why a tool fails before it begins; None if it can be called."""
        tool = self._by_name.get(name)
        return self._unknown_tool_error() if tool is None else tool.unavailable

    def _unknown_tool_error(self) -> WebError:
        names = ", ".join(tool.name for tool in self.tools)
        return InvalidQuery(field="tool", reason=f"there is no such tool; there are {names}")

    async def begin(self) -> None:
        """Tell the hooks that a session starts."""
        await self._send_session_event("on_session_start", {})

    async def end(self, *, completed: bool = True) -> None:
        """Tell the hooks that the session is over."""
        event: dict[str, object] = {"completed": completed, "interrupted": not completed}
        await self._send_session_event("on_session_end", event)
        await self._send_session_event("on_session_finalize", {"reason": "closed"})

    async def _send_session_event(self, name: str, event: dict[str, object]) -> None:
        context = {
            "session_id": self.around.session_id,
            "task_id": self.around.session_id,
            "turn_id": "",
            "platform": self.around.platform,
            "model": "",
        }
        async with CallbackThread(self.around.callback_seconds) as lane:
            await HookNotifier(self.around, context, lane).send_event(name, event)
