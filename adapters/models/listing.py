"""The models that a provider offers to an account, as its own list tells them."""

from collections.abc import Mapping
from urllib.parse import quote

from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload, UnsupportedCapability, WebError
from ..values.json_values import as_mapping, as_objects, text
from .client.exchange import JsonCalls
from .declaration.provider import ApiMode, Provider

# Bedrock lists its models at another host than it serves them, under another right.
_PATHS: Mapping[ApiMode, str] = {
    "chat_completions": "/models",
    "responses": "/models",
    "anthropic_messages": "/v1/models?limit=1000",
    "gemini_generate": "/models?pageSize=1000",
}
_MAX_LIST_PAGES = 20


async def list_models(provider: Provider, calls: JsonCalls) -> Result[tuple[str, ...], WebError]:
    """Return the names of a provider's models, sorted, or why there is no list."""
    path = _PATHS.get(provider.api_mode)
    if path is None:
        return Failure(UnsupportedCapability(capability="list its models", backend=provider.name))
    names: set[str] = set()
    following: str | None = path
    for _ in range(_MAX_LIST_PAGES):
        if following is None:
            break
        page = await calls.call(following)
        if isinstance(page, Failure):
            return page
        names_here = read_names(page.unwrap())
        if isinstance(names_here, Failure):
            return names_here
        names.update(names_here.unwrap())
        following = next_path(page.unwrap(), path)
    return Success(tuple(sorted(names)))


def read_names(payload: object) -> Result[tuple[str, ...], WebError]:
    """Return the names on one page: OpenAI's and Anthropic's ``data``, Gemini's ``models``."""
    body = as_mapping(payload)
    entries = payload if isinstance(payload, list) else body.get("data", body.get("models"))
    if not isinstance(entries, list):
        return Failure(BadPayload(problem="shape", path="$.data"))
    names = (
        text(entry.get("id")) or text(entry.get("name")).removeprefix("models/")
        for entry in as_objects(entries)
    )
    return Success(tuple(name for name in names if name))


def next_path(payload: object, path: str) -> str | None:
    """Return where the next page is, None after the last."""
    body = as_mapping(payload)
    token, last = text(body.get("nextPageToken")), text(body.get("last_id"))
    if token:
        return f"{path}&pageToken={quote(token)}"
    return f"{path}&after_id={quote(last)}" if body.get("has_more") is True and last else None
