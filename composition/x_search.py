"""Searching X, put together: the settings, xAI's models, the clock, the schema checker."""

import logging
import random
from datetime import UTC, datetime

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ..adapters.http.transport import FastTransport, Times
from ..adapters.json_schema import why_not_valid
from ..adapters.models.client import ModelClient
from ..adapters.models.speaking import wire_of
from ..adapters.x_search.xai import XaiRules, XaiSearch
from ..kernel.endpoints import check_endpoint
from ..kernel.retry import x_retry_delay
from ..kernel.x_search import XSearchDeps, x_search
from ..ports.errors import WebError
from ..ports.x_search import XSearchOutcome
from .model_settings import account_of, known_providers
from .models import model_surroundings
from .settings import Settings, load_settings

PROVIDER = "xai"
MODEL = "grok-4.5"
FEWEST_SECONDS = 30.0

_LOG = logging.getLogger("webseam.x_search")
_TIMES = Times(connect=10.0, head=None, idle=None)


class XSearch(msgspec.Struct, frozen=True, kw_only=True):
    """Searches X with one account, until it is closed."""

    deps: XSearchDeps
    client: ModelClient

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
        await self.client.aclose()


def x_searcher(
    settings: Settings | None = None, *, transport: httpx.AsyncBaseTransport | None = None
) -> Result[XSearch, WebError]:
    """Return what searches X with the account in the settings, or what is not set.

    Without ``settings`` they are read from where they are.
    """
    loaded = load_settings() if settings is None else Success(settings)
    if isinstance(loaded, Failure):
        return Failure(loaded.failure())
    given = loaded.unwrap()
    made = _client(given, transport)
    if isinstance(made, Failure):
        return Failure(made.failure())
    block = given.x_search
    rules = XaiRules(
        model=block.model or MODEL,
        effort=block.reasoning_effort,
        seconds=max(block.timeout_seconds, FEWEST_SECONDS),
        credential_source=PROVIDER,
    )
    deps = XSearchDeps(
        backend=XaiSearch(made.unwrap(), rules),
        today=lambda: datetime.now(UTC).date(),
        check_schema=why_not_valid,
    )
    return Success(XSearch(deps=deps, client=made.unwrap()))


def _client(
    settings: Settings, transport: httpx.AsyncBaseTransport | None
) -> Result[ModelClient, WebError]:
    known = known_providers(settings)
    if isinstance(known, Failure):
        return Failure(known.failure())
    found = known.unwrap().find(PROVIDER)
    if isinstance(found, Failure):
        return Failure(found.failure())
    # Turns are chained by their id here, so nothing sealed is asked for to be sent back.
    provider = msgspec.structs.replace(found.unwrap(), encrypted_reasoning=False)
    account = account_of(provider, settings)
    if isinstance(account, Failure):
        return Failure(account.failure())
    who = account.unwrap()
    checked = check_endpoint(who.base_url, with_key=bool(who.secrets()))
    if isinstance(checked, Failure):
        return Failure(checked.failure())
    around = msgspec.structs.replace(
        model_surroundings(transport or FastTransport(times=_TIMES)),
        retry=lambda error, attempt: x_retry_delay(
            error,
            attempt,
            settings.x_search.retries,
            random.random(),  # noqa: S311  no secret
        ),
    )
    settled = provider.settle(provider, who.base_url)
    return Success(ModelClient(wire_of(settled.api_mode), settled, who, surroundings=around))
