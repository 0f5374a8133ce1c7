"""What each client must make of every scene: a value, or the name of the error that it raises.

What a client does with a status is its own affair, and was tried one by one. A failure that looks
like an empty list is never right.
"""

from typing import TypeAlias

Line: TypeAlias = dict[str, object]

_FOUND = ["https://example.com/a", "https://example.com/b"]
_PAGE = "High at noon. [more](/b)"


def _scenes(*errors: str, found: object = None, nothing: object = None) -> dict[str, object]:
    """Return the scenes of a client that raises: rate limit, rubbish, too slow, refused key."""
    limited, rubbish, slow, refused = errors if len(errors) > 1 else errors * 4
    values = {
        "tides": _FOUND if found is None else found,
        "nothing": [] if nothing is None else nothing,
    }
    raised = {"limited": limited, "rubbish": rubbish, "slow": slow, "refused": refused}
    return {**values, **{scene: _Raises(name) for scene, name in raised.items()}}


def _swallowing() -> dict[str, object]:
    """Return the scenes of a client that shows no failure at all."""
    return {
        "tides": _FOUND,
        **{scene: [] for scene in ("nothing", "limited", "rubbish", "slow", "refused")},
    }


class _Raises(str):
    """The name of an exception."""

    __slots__ = ()


class _Says(str):
    """A text that is part of what the client returns."""

    __slots__ = ()


_TAVILY = ("UsageLimitExceededError", "HTTPError", "HTTPError", "InvalidAPIKeyError")
_LITELLM = ("RateLimitError", "InternalServerError", "Timeout", "AuthenticationError")
_FIRECRAWL = ("RateLimitError", "InternalServerError", "RequestTimeoutError", "UnauthorizedError")
_OPENAI = ("RateLimitError", "InternalServerError", "InternalServerError", "AuthenticationError")


def _pages(scene: str) -> object:
    url = f"https://example.com/a?{scene}"
    return [[url], 2, [url, "https://example.com/b"]]


EXPECTED: dict[str, dict[str, object]] = {
    "tavily-python": _scenes(*_TAVILY),
    "tavily-python async": _scenes("UsageLimitExceededError", "HTTPStatusError", "HTTPStatusError", "InvalidAPIKeyError"),
    "tavily-python pages": _scenes(*_TAVILY, found=_pages("tides"), nothing=_pages("nothing")),
    # It makes a text with advice of an empty list, by itself.
    "langchain-tavily": _scenes("ValueError", nothing=_Raises("TypeError")),
    "exa-py": _scenes("ValueError"),
    "exa-py root": _scenes("ValueError"),
    "exa-py contents": _scenes("ValueError", found=["https://example.com/a?tides"], nothing=["https://example.com/a?nothing"]),
    "exa-py similar": _scenes("ValueError", nothing=_FOUND),
    # The failure of a search is a block inside of a message, as Anthropic has it.
    **{
        f"anthropic{kind}": {"tides": _FOUND, "nothing": [], "limited": "too_many_requests", "rubbish": "unavailable", "slow": _FOUND, "refused": _Raises("AuthenticationError")}
        for kind in ("", " stream")
    },
    "firecrawl-py credits": {**{scene: [99_999_999] for scene in ("tides", "nothing", "limited", "rubbish", "slow")}, "refused": _Raises("UnauthorizedError")},
    **{
        f"linkup-sdk{kind}": _scenes("LinkupTooManyRequestsError", "LinkupUnknownError", "LinkupRequestDeadlineExceededError", "LinkupAuthenticationError", found=found, nothing=nothing)
        for kind, found, nothing in (("", _FOUND, []), (" fetch", [_PAGE], [_PAGE]))
    },
    **{f"perplexity{kind}": _scenes(*_OPENAI) for kind in ("", " chat")},
    "firecrawl-py": _scenes(*_FIRECRAWL),
    "firecrawl-py scrape": _scenes(*_FIRECRAWL, found=[_PAGE, 200], nothing=[_PAGE, 200]),
    "firecrawl-py jobs": {
        "tides": ["completed", 2, "completed", 2, 2],
        "nothing": ["completed", 2, "completed", 2, 2],
        "limited": ["completed", 1, "completed", 2, 2],
        "rubbish": ["completed", 1, "completed", 2, 2],
        "slow": ["completed", 2, "completed", 2, 2],
        "refused": _Raises("UnauthorizedError"),
    },
    "firecrawl-py v1": _scenes("HTTPError"),
    "firecrawl-py v1 language": _scenes("HTTPError"),
    "langchain serper": _scenes("HTTPError"),
    "agno serper": {
        "tides": _Says("https://example.com/a"), "nothing": _Says('"organic":[]'), "limited": _Says("429"), "rubbish": _Says("500"), "slow": _Says("504"), "refused": _Says("403"),
    },
    "agno serper scrape": {
        "tides": _Says("High at noon."), "nothing": _Says("High at noon."), "limited": _Says("429"), "rubbish": _Says("500"), "slow": _Says("504"), "refused": _Says("403"),
    },
    "langchain searx": _scenes("ValueError", nothing=["No good Search Result was found"]),
    **{f"litellm {name}": _scenes(*_LITELLM) for name in ("tavily", "exa", "firecrawl", "searxng", "brave")},
    "litellm serper": _scenes(*_LITELLM[:3], "PermissionDeniedError"),
    "litellm perplexity": _scenes("RateLimitError", "ServiceUnavailableError", "Timeout", "AuthenticationError"),
    "smolagents brave": _scenes("HTTPError", found=_Says("https://example.com/b"), nothing="No results found."),
    "smolagents reader": {
        "tides": _Says(_PAGE), "nothing": _Says(_PAGE), "limited": _Says("429"), "rubbish": _Says("503"), "slow": _Says("504"), "refused": _Says("401"),
    },
    "agno searxng": {
        "tides": _Says("https://example.com/a"), "nothing": _Says('"results": []'), "limited": _Says("429"), "rubbish": _Says("500"), "slow": _Says("504"), "refused": _Says("401"),
    },
    "agno tavily": _scenes(*_TAVILY, found=_Says("https://example.com/a"), nothing=_Says('"results": []')),
    "openai chat": _scenes(*_OPENAI),
    "openai stream": _scenes(*_OPENAI, found=["webseam", _FOUND], nothing=["webseam", []]),
    # No model that ranks is set: that is told by name, whatever is asked.
    "cohere rerank": {
        **dict.fromkeys(("tides", "nothing", "limited", "rubbish", "slow"), _Raises("BadRequestError")),
        "refused": _Raises("UnauthorizedError"),
    },
    # These make an empty list of any failure, whatever they are sent: it is in our log alone.
    "gpt-researcher tavily": _swallowing(),
    "open-webui search": _swallowing(),
    "open-webui firecrawl": _swallowing(),
    "open-webui perplexity": _swallowing(),
    "gpt-researcher searx": _scenes("Exception"),
    "gpt-researcher exa": _scenes("ValueError"),
    "gpt-researcher custom": _scenes("LookupError", found=[_FOUND, [_PAGE]], nothing=[[], []]),
    "langchain-exa": _scenes("LookupError"),
    "langchain-exa retriever": _scenes("ValueError"),
    "langchain brave": _scenes("Exception"),
    "haystack tavily": _scenes(*_TAVILY),
    "haystack reader": _scenes("HTTPStatusError", found=[_PAGE], nothing=[_PAGE]),
    "llama-index tavily": _scenes(*_TAVILY),
    "llama-index exa": _scenes("ValueError"),
    "llama-index brave": _scenes("HTTPError"),
    "pydantic-ai tavily": _scenes("UsageLimitExceededError", "HTTPStatusError", "HTTPStatusError", "InvalidAPIKeyError"),
    "plain HTTP": _scenes("HTTPStatusError"),
    "open-webui loader": _scenes("HTTPError", found=[_PAGE], nothing=[_PAGE]),
    "open-webui searxng": _scenes("ClientResponseError"),
    "open-webui tavily": _scenes("HTTPError"),
    "open-webui jina": _scenes("HTTPError"),
    "hermes firecrawl": _scenes("RuntimeError"),
    "hermes firecrawl pages": _scenes("RuntimeError", found=["https://93.184.215.14/a?tides"], nothing=["https://93.184.215.14/a?nothing"]),
    # As its cousin in Python does, it makes a text with advice of an empty list.
    "@langchain/tavily": _scenes("Error", nothing=_Raises("Error")),
    "@langchain/exa": _scenes("ExaError"),
    "hermes searxng": _scenes("RuntimeError"),
    "hermes tavily": _scenes("RuntimeError"),
    "hermes tavily pages": _scenes("RuntimeError", found=["https://example.com/a?tides"], nothing=["https://example.com/a?nothing"]),
    "@tavily/core": _scenes("Error"),
    "exa-js": _scenes("ExaError"),
    "@mendable/firecrawl-js": _scenes("SdkError"),
    "@mendable/firecrawl-js scrape": _scenes("SdkError", found=[_PAGE], nothing=[_PAGE]),
}  # fmt: skip


def judge(line: Line) -> bool:
    """Tell whether a client made of a scene what it must."""
    expected = EXPECTED[str(line["client"])][str(line["scene"])]
    if isinstance(expected, _Raises):
        return line.get("error") == expected
    if isinstance(expected, _Says):
        return expected in str(line.get("value"))
    return line.get("value") == expected
