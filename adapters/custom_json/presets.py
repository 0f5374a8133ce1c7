"""Shapes of answers that many instances share. What the user writes wins over them."""

from collections.abc import Mapping

PRESETS: Mapping[str, Mapping[str, object]] = {
    "4get": {
        "path": "/api/v1/web",
        "parameters": {"s": "{query}"},
        "results_path": "web",
        "fields": {"snippet": "description", "published_at": "date"},
        "success_path": "status",
        "success_value": "ok",
    },
    "searxng": {
        "path": "/search",
        "parameters": {"q": "{query}", "format": "json", "language": "{language}"},
        "results_path": "results",
        "fields": {"snippet": "content", "published_at": ["publishedDate", "pubdate"]},
        "error_path": "error",
    },
}
_MERGED = ("parameters", "fields", "headers")


def with_preset(block: Mapping[str, object], preset: str) -> dict[str, object]:
    """Return a block on top of a preset: parameters, fields and headers one by one."""
    base = PRESETS[preset]
    merged = {**base, **block}
    for name in _MERGED:
        below, above = base.get(name), block.get(name)
        if isinstance(below, Mapping) and isinstance(above, Mapping):
            merged[name] = {**below, **above}
    return merged
