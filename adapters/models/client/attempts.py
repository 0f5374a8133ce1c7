"""The attempts at one answer: the time there is, fields left out after a refusal, and pauses."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import NamedTuple, TypeVar

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import ConnectFailed, DeadlineExceeded, ParameterRefused, WebError
from ....ports.models.chat import ChatRequest, NormalizedResponse
from ...http.error_mapping import network_error
from ..declaration.wire import Json, Wire

Value = TypeVar("Value")


class TimeBudget(NamedTuple):
    """So many seconds, and the loop's time when they are over."""

    seconds: float
    until: float

    @property
    def left(self) -> float:
        """How many seconds there are left."""
        return self.until - asyncio.get_running_loop().time()

    async def bound(self, step: Awaitable[Value], host: str) -> Result[Value, WebError]:
        """Await one step; running out of time and whatever the network raises are failures.

        Each step has its own timeout, for the same end: one around a whole stream would go off in
        the middle of what the reader of the stream does.
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


def time_budget(seconds: float) -> TimeBudget:
    """Return a budget that begins now."""
    return TimeBudget(seconds, asyncio.get_running_loop().time() + seconds)


# None of these changes what is asked, only how it is answered.
_DISPENSABLE = frozenset(
    {
        "cachePoint",
        "frequency_penalty",
        "include",
        "parallel_tool_calls",
        "presence_penalty",
        "prompt_cache_key",
        "reasoning",
        "reasoning_effort",
        "redactedContent",
        "seed",
        "service_tier",
        "stop",
        "stream_options",
        "temperature",
        "topP",
        "top_p",
        "verbosity",
    }
)
# One and the same thing, of which a model knows one name.
_OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
# Where effort is an object, it is refused by the name that it has elsewhere.
_WITHIN = {"reasoning_effort": "reasoning"}
MAX_DROPPED_FIELDS = 3


def droppable_field(error: WebError, left_out: tuple[str, ...]) -> str | None:
    """Return the field to try without, None if there is none, or enough were left out already."""
    if not isinstance(error, ParameterRefused) or len(left_out) >= MAX_DROPPED_FIELDS:
        return None
    name = error.parameter
    known = name in _DISPENSABLE or name in _OTHER_NAMES
    return name if known and name not in left_out else None


def without_body_fields(body: Json, left_out: Sequence[str]) -> Json:
    """Return the body without these fields; a cap goes under its other name instead."""
    unwanted = {*left_out, *(_WITHIN.get(name, name) for name in left_out)}
    rest = {name: value for name, value in body.items() if name not in unwanted}
    for name in left_out:
        other = _OTHER_NAMES.get(name)
        if other is not None and name in body and other not in left_out:
            rest[other] = body[name]
    return rest


MAX_PAUSES = 10


class PausedAnswer:
    """What to ask next, and the parts so far. After too many the answer stays as it is."""

    def __init__(self, wire: Wire, request: ChatRequest) -> None:
        """Begin with what was asked."""
        self.request = request
        self._wire = wire
        self._held: NormalizedResponse | None = None
        self._left = MAX_PAUSES

    def take(
        self, result: Result[NormalizedResponse, WebError]
    ) -> Result[NormalizedResponse, WebError] | None:
        """Return the whole answer; None when ``request`` is now the one that goes on."""
        if isinstance(result, Failure):
            return result
        part = result.unwrap()
        whole = part if self._held is None else self._wire.joined(self._held, part)
        following = self._wire.continued(self.request, part)
        if following is None or not self._left:
            return Success(whole)
        self.request, self._held, self._left = following, whole, self._left - 1
        return None


class Attempt(NamedTuple):
    """The time there is, how many attempts were made, and what the model turned out not to take."""

    budget: TimeBudget
    attempt: int = 1
    wait: float = 0.0
    left_out: tuple[str, ...] = ()
    keys_refused: int = 0

    def after(self, wait: float) -> "Attempt":
        """Return the next attempt at the same thing."""
        return self._replace(attempt=self.attempt + 1, wait=wait)

    def with_another_key(self) -> "Attempt":
        """Return the same attempt for the account with the next key."""
        return self._replace(keys_refused=self.keys_refused + 1, wait=0.0)

    def without(self, name: str) -> "Attempt":
        """Return the same attempt without one of the fields."""
        return self._replace(left_out=(*self.left_out, name), wait=0.0)

    def stamp(self, response: NormalizedResponse) -> NormalizedResponse:
        """Tell in the answer what was left out for it."""
        if not self.left_out:
            return response
        held = {**(response.provider_data or {}), "_left_out": list(self.left_out)}
        return msgspec.structs.replace(response, provider_data=held)
