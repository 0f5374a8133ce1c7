"""The models that a provider lists for an account."""

from collections.abc import Mapping
from urllib.parse import quote

from returns.result import Failure, Result, Success

from webseam.ports.errors import BadPayload, UnsupportedCapability, WebError

from ...values.json_values import as_mapping, as_objects, text
from .client.exchange import JsonCalls
from .declaration.provider import ApiMode, Provider

# Bedrock lists its models at another host, which needs another permission.
_LIST_PATHS: Mapping[ApiMode, str] = {
    "chat_completions": "/models", "responses": "/models",
    "anthropic_messages": "/v1/models?limit=1000", "gemini_generate": "/models?pageSize=1000",
}  # fmt: skip
_MAX_LIST_PAGES = 20


async def list_models(provider: Provider, calls: JsonCalls) -> Result[tuple[str, ...], WebError]:
    """Return the names of a provider's models, sorted, or a failure."""
    path = _LIST_PATHS.get(provider.api_mode)
    if path is None:
        return Failure(UnsupportedCapability(capability="list its models", backend=provider.name))
    names: set[str] = set()
    next_page: str | None = path
    for _ in range(_MAX_LIST_PAGES):
        if next_page is None:
            break
        page = await calls.call_json(next_page)
        if isinstance(page, Failure):
            return page
        page_names = read_model_names(page.unwrap())
        if isinstance(page_names, Failure):
            return page_names
        names.update(page_names.unwrap())
        next_page = next_page_path(page.unwrap(), path)
    return Success(tuple(sorted(names)))


def read_model_names(payload: object) -> Result[tuple[str, ...], WebError]:
    """Return the names on a page: ``data`` for OpenAI and Anthropic, ``models`` for Gemini."""
    body = as_mapping(payload)
    entries = payload if isinstance(payload, list) else body.get("data", body.get("models"))
    if not isinstance(entries, list):
        return Failure(BadPayload(problem="shape", path="$.data"))
    names = (
        text(entry.get("id")) or text(entry.get("name")).removeprefix("models/")
        for entry in as_objects(entries)
    )
    return Success(tuple(name for name in names if name))


def next_page_path(payload: object, path: str) -> str | None:
    """Return the path of the next page; None after the last."""
    body = as_mapping(payload)
    token, last = text(body.get("nextPageToken")), text(body.get("last_id"))
    if token:
        return f"{path}&pageToken={quote(token)}"
    return f"{path}&after_id={quote(last)}" if body.get("has_more") is True and last else None
