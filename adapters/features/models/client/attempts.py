"""Attempts at one answer: their time budget, dropped fields, and pauses."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import NamedTuple, TypeVar

import httpx
import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.http.error_mapping import network_error
from webseam.adapters.values.json_values import as_list, as_mapping
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import ConnectFailed, DeadlineExceeded, ParameterRefused, WebError
from webseam.ports.models import ChatRequest, NormalizedResponse

from ..declaration.wire import AnswerResult, Json, Wire

Value = TypeVar("Value")
# Fields that do not change the question, only how it is answered.
_DROPPABLE_FIELDS = frozenset({
    "cachePoint", "encrypted_content", "frequency_penalty", "include", "parallel_tool_calls",
    "presence_penalty", "prompt_cache_key", "random_seed", "reasoning", "reasoning_effort",
    "redactedContent", "seed", "service_tier", "stop", "stream_options", "temperature", "topP",
    "top_p", "verbosity",
})  # fmt: skip
# Two names of the same field; a model accepts one of them.
_MAX_TOKENS_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
# A server that takes effort in an object still refuses it by its flat name.
_ENCLOSING_FIELDS = {"reasoning_effort": "reasoning"}
MAX_DROPPED_FIELDS = 3
MAX_PAUSES = 10


class TimeBudget(NamedTuple):
    """A number of seconds, and the loop time at which they end."""

    seconds: float
    until: float

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.until - asyncio.get_running_loop().time()

    async def await_step(self, step: Awaitable[Value], host: str) -> Result[Value, WebError]:
        """Await one step; a timeout or a network error is a failure.

        Each step has its own timeout with the same end: one timeout around a whole stream would
        cancel the code that reads the stream.
        """
        try:
            async with asyncio.timeout_at(self.until):
                return Success(await step)
        except TimeoutError:
            return Failure(DeadlineExceeded(deadline=self.seconds))
        except httpx.HTTPError as error:
            return Failure(network_error(error, host))
        except OSError:
            return Failure(ConnectFailed())


def start_time_budget(seconds: float) -> TimeBudget:
    """Return a budget that starts now."""
    return TimeBudget(seconds, asyncio.get_running_loop().time() + seconds)


def droppable_field(error: WebError, left_out: tuple[str, ...]) -> str | None:
    """Return the field to drop; None if there is none, or if too many were dropped already."""
    if not isinstance(error, ParameterRefused) or len(left_out) >= MAX_DROPPED_FIELDS:
        return None
    name = error.parameter
    is_droppable = name in _DROPPABLE_FIELDS or name in _MAX_TOKENS_NAMES
    return name if is_droppable and name not in left_out else None


def drop_body_fields(body: Json, left_out: Sequence[str]) -> Json:
    """Return the body without these fields; a token cap is renamed to its other name."""
    dropped = {*left_out, *(_ENCLOSING_FIELDS.get(name, name) for name in left_out)}
    rest = {name: value for name, value in body.items() if name not in dropped}
    for name in left_out:
        other_name = _MAX_TOKENS_NAMES.get(name)
        if other_name is not None and name in body and other_name not in left_out:
            rest[other_name] = body[name]
    return rest


class PausedAnswer:
    """An answer in parts: the next request, and the parts so far, up to ``MAX_PAUSES``."""

    def __init__(self, wire: Wire, request: ChatRequest) -> None:
        self.request = request
        self._wire = wire
        self._joined_parts: NormalizedResponse | None = None
        self._pauses_left = MAX_PAUSES

    def add_answer_part(self, result: AnswerResult) -> AnswerResult | None:
        """Return the complete answer; None if ``request`` has to be sent to continue it."""
        if isinstance(result, Failure):
            return result
        part = result.unwrap()
        answer = part if self._joined_parts is None else self._wire.joined(self._joined_parts, part)
        next_request = self._wire.continued(self.request, part)
        if next_request is None or not self._pauses_left:
            return Success(answer)
        self.request, self._joined_parts = next_request, answer
        self._pauses_left -= 1
        return None


class Attempt(NamedTuple):
    """Budget, number and wait of an attempt, its dropped fields, and the keys refused so far."""

    budget: TimeBudget
    attempt: int = 1
    wait: float = 0.0
    left_out: tuple[str, ...] = ()
    keys_refused: int = 0

    def retry_later(self, wait: float) -> "Attempt":
        """Return the next attempt, after a wait in seconds."""
        return self._replace(attempt=self.attempt + 1, wait=wait)

    def use_next_key(self) -> "Attempt":
        """Return the same attempt with the next key."""
        return self._replace(keys_refused=self.keys_refused + 1, wait=0.0)

    def drop_field(self, name: str) -> "Attempt":
        """Return the same attempt with one more field dropped."""
        return self._replace(left_out=(*self.left_out, name), wait=0.0)

    def note_attempts(
        self, made: Sequence[BackendAttempt], response: NormalizedResponse
    ) -> NormalizedResponse:
        """Add the attempts if there were several, and the dropped fields to ``provider_data``."""
        if len(made) > 1:
            response = msgspec.structs.replace(response, attempts=tuple(made))
        return note_left_out(response, self.left_out)


def note_left_out(response: NormalizedResponse, names: Sequence[str]) -> NormalizedResponse:
    """Add names of fields that were not sent to the answer's ``provider_data``."""
    if not names:
        return response
    data = as_mapping(response.provider_data)
    left_out = dict.fromkeys([*names, *as_list(data.get("_left_out"))])
    return msgspec.structs.replace(response, provider_data={**data, "_left_out": list(left_out)})
