"""Models, put together from a provider, its wire, an account and the way there."""

import random
import time
from collections.abc import Sequence

import httpx
from returns.result import Failure, Result, Success

from ..adapters.http.transport import FastTransport, Times
from ..adapters.models.client.client import ModelClient, ModelDeps, ModelLimits
from ..adapters.models.declaration.account import Account
from ..adapters.models.declaration.provider import Provider
from ..adapters.models.wires.preview import wire_of
from ..kernel.boundary import crash_of
from ..kernel.chat import check_request
from ..kernel.planner.retry import model_retry_delay
from ..kernel.text.display import one_line
from ..kernel.text.redaction import redact
from ..kernel.urls.endpoints import check_endpoint
from ..ports.errors import BackendCrashed, WebError
from .closing import OpenModel
from .model_calls import plugged
from .model_settings import account_of, known_providers
from .plugins.running import enabled_around
from .settings import Settings, load_settings
from .tools.around import Around

# A model may think for minutes before its first word; the deadline of the call is the limit.
_TIMES = Times(connect=10.0, head=None, idle=None)


def chat_model(
    provider: str,
    *,
    settings: Settings | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ModelLimits | None = None,
    around: Around | None = None,
) -> Result[OpenModel, WebError]:
    """Return the client of the provider with that name or alias, or say what is not usable.

    Without ``settings`` they are read from where they are; without ``around``, the plugins that the
    user enabled stand around each call. A key is only ever sent over https, or to this machine.
    """
    loaded = load_settings() if settings is None else Success(settings)
    if isinstance(loaded, Failure):
        return Failure(loaded.failure())
    given = loaded.unwrap()
    known = known_providers(given)
    if isinstance(known, Failure):
        return Failure(known.failure())
    found = known.unwrap().find(provider)
    if isinstance(found, Failure):
        return Failure(found.failure())
    account = account_of(found.unwrap(), given)
    if isinstance(account, Failure):
        return Failure(account.failure())
    made = provider_model(found.unwrap(), account.unwrap(), transport=transport, limits=limits)
    if isinstance(made, Failure):
        return Failure(made.failure())
    surrounding = enabled_around(settings=given) if around is None else Success(around)
    client, mode = made.unwrap(), found.unwrap().api_mode
    return surrounding.map(lambda given: plugged(client, given, mode, client.base_url))


def provider_model(
    provider: Provider,
    account: Account,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ModelLimits | None = None,
) -> Result[ModelClient, WebError]:
    """Return the client of a provider of your own, for the account that is given."""
    checked = check_endpoint(account.base_url, with_key=bool(account.secrets()))
    if isinstance(checked, Failure):
        return Failure(checked.failure())
    settled = provider.settle(provider, account.base_url)
    around = model_surroundings(transport or FastTransport(times=_TIMES))
    wire = wire_of(settled.api_mode)
    return Success(ModelClient(wire, settled, account, surroundings=around, limits=limits))


def model_surroundings(transport: httpx.AsyncBaseTransport) -> ModelDeps:
    """Return what every client is given: the way there, the clock, and the kernel's decisions."""
    return ModelDeps(
        transport=transport,
        now=time.time,
        redact=_safe_line,
        check=check_request,
        retry=_retry,
        crashed=_crashed,
    )


def _safe_line(text: str, secrets: Sequence[str]) -> str:
    return one_line(redact(text, secrets))


def _retry(error: WebError, attempt: int) -> float | None:
    return model_retry_delay(error, attempt, random.random())  # noqa: S311  to spread, not to hide


def _crashed(error: Exception) -> WebError:
    crash = crash_of(error)
    return BackendCrashed(error=crash.error, where=crash.where)
