"""Searching X, put together: the settings, xAI's models, the clock, the schema checker."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ...adapters.http.dial import WayOut
from ...adapters.http.transport import FastTransport, Times
from ...adapters.json_schema import why_not_valid
from ...adapters.models.client.calling import ModelDeps
from ...adapters.models.client.client import ModelClient
from ...adapters.models.declaration.provider import ApiMode
from ...adapters.models.wires.preview import wire_of
from ...adapters.x_search.xai import PROVIDER, XaiRules, XaiSearch
from ...kernel.planner.retry import retry_delay, x_patience
from ...kernel.x_search.search import XSearchDeps, x_search
from ...ports.errors import WebError
from ...ports.x_search import XSearchOutcome
from ..calls.closing import OpenModel
from ..calls.model import plugged
from ..calls.session import Session
from ..settings.openings import plain_http
from ..settings.schema import Settings
from .models.clients import account_of, find_provider, is_own_address, model_surroundings
from .network import way_out

MODEL = "grok-4.5"
FEWEST_SECONDS = 30.0

_LOG = logging.getLogger("webseam.x_search")
# Who has set up no log is not written to: the receipt says the same.
_LOG.addHandler(logging.NullHandler())
_CONNECT_SECONDS = 10.0
_API_MODE: ApiMode = "responses"


class XSearch(msgspec.Struct, frozen=True, kw_only=True):
    """Searches X with one account, until it is closed."""

    deps: XSearchDeps
    model: OpenModel

    async def __call__(
        self, request: object, *, output_type: type | None = None
    ) -> Result[XSearchOutcome, WebError]:
        """Search; see ``webseam.kernel.x_search``."""
        found = await x_search(request, self.deps, output_type=output_type)
        for warning in found.map(lambda outcome: outcome.receipt.warnings).value_or(()):
            _LOG.warning("x_search: %s", warning)
        return found

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next search."""
        await self.model.aclose()


def open_x_search(
    settings: Settings,
    session: Session,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    chance: Callable[[], float] = random.random,
) -> Result[XSearch, WebError]:
    """Return what searches X with the account in the settings, or what is not set.

    What is registered in the session stands around each call of the model. A key is only ever sent
    over https, or to this machine. ``chance`` spreads the waits before another attempt.
    """
    made = _client(settings, lambda way: _surroundings(settings, transport, chance, way))
    if isinstance(made, Failure):
        return made
    client = made.unwrap()
    model = plugged(client, session, _API_MODE, client.base_url)
    block = settings.x_search
    rules = XaiRules(
        model=block.model or MODEL,
        effort=block.reasoning_effort,
        deadline=_seconds(settings) * (block.retries + 1),
        credential_source=PROVIDER,
    )
    deps = XSearchDeps(
        backend=XaiSearch(model, rules),
        today=lambda: datetime.now(UTC).date(),
        check_schema=why_not_valid,
    )
    return Success(XSearch(deps=deps, model=model))


def _client(
    settings: Settings, around: Callable[[WayOut], ModelDeps]
) -> Result[ModelClient, WebError]:
    declared = find_provider(PROVIDER, settings)
    if isinstance(declared, Failure):
        return declared
    # Turns are chained by their id here, so nothing sealed is asked for to be sent back. Whatever
    # the settings say of xAI's models, X is searched over this wire alone; and an effort that was
    # set goes to models nobody knows, too.
    xai, change = declared.unwrap(), msgspec.structs.replace
    provider = change(
        xai,
        api_mode=_API_MODE,
        fields=change(xai.fields, structured_output="json_schema", efforts=None),
        responses=change(xai.responses, encrypted_reasoning=False),
    )
    account = account_of(provider, settings)
    if isinstance(account, Failure):
        return account
    who = account.unwrap()
    opening = plain_http("providers", PROVIDER, settings)
    checked = opening.check(who.base_url, with_key=bool(who.secrets()))
    if opening.problem is not None:
        return Failure(msgspec.structs.replace(opening.problem, backend=PROVIDER))
    if isinstance(checked, Failure):
        setting = provider.login.base_url_env or "providers.xai.base_url"
        reason = f"{checked.failure().reason}; {setting} sets it"
        return Failure(msgspec.structs.replace(checked.failure(), reason=reason, backend=PROVIDER))
    way = way_out(settings, own=is_own_address(provider, who, settings))
    return Success(ModelClient(wire_of(provider.api_mode), provider, who, surroundings=around(way)))


def _surroundings(
    settings: Settings,
    transport: httpx.AsyncBaseTransport | None,
    chance: Callable[[], float],
    way: WayOut,
) -> ModelDeps:
    seconds = _seconds(settings)
    patience = x_patience(settings.x_search.retries, longest=seconds)

    def retry(error: WebError, attempt: int) -> float | None:
        return retry_delay(error, attempt, chance(), patience)

    times = Times(connect=_CONNECT_SECONDS, head=seconds, idle=seconds)
    around = model_surroundings(transport or FastTransport(times=times, way=way))
    return msgspec.structs.replace(around, retry=retry)


def _seconds(settings: Settings) -> float:
    """Return how long one attempt may take: a model that searches takes its time."""
    return max(settings.x_search.timeout_seconds, FEWEST_SECONDS)
