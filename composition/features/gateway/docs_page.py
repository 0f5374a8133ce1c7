"""The native API as a page for people: each path, its fields and their types. It has no script."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape
from typing import Any

from webseam.adapters.features.gateway.replies import Reply

from .openapi import build_openapi

_HEADERS = (
    ("content-security-policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'"),
)
_MAX_CHOICES = 12


@lru_cache(maxsize=1)
def docs_page_reply() -> Reply:
    """Return the OpenAPI document as a page."""
    document: Any = build_openapi()
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, by_method in document["paths"].items()
        for method, operation in by_method.items()
    ]
    schemas = document["components"]["schemas"]
    contents = "".join(
        f'<li><a href="#{_anchor(name)}"><code>{escape(name)}</code></a></li>'
        for name, _ in operations
    )
    sections = "".join(_section(name, operation, schemas) for name, operation in operations)
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>webseam API</title>'
        '<link rel="stylesheet" href="playground/style.css">'
        '<header class="top"><div class="bar"><h1>webseam API</h1><nav>'
        '<a href="openapi.json">openapi.json</a><a href="./">playground</a></nav></div></header>'
        f'<main class="api"><ul>{contents}</ul>{sections}</main></html>'
    )
    return Reply(body=page.encode(), media_type="text/html; charset=utf-8", headers=_HEADERS)


def _anchor(name: str) -> str:
    return escape(name.replace(" ", "-").replace("/", "-").lower())


def _section(name: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    text = escape(operation.get("description") or operation["summary"])
    bodies = operation.get("requestBody", {"content": {}})["content"].values()
    shapes = [schemas[body["schema"]["$ref"].rpartition("/")[2]] for body in bodies]
    rows = "".join(row for shape in shapes for row in _field_rows(shape))
    head = "<tr><th>field</th><th>type</th><th>what it is</th></tr>"
    table = f"<table>{head}{rows}</table>" if rows else ""
    return f'<h2 id="{_anchor(name)}"><code>{escape(name)}</code></h2><p>{text}</p>{table}'


def _field_rows(shape: Mapping[str, Any]) -> Iterator[str]:
    required = shape.get("required", ())
    for name, field in shape["properties"].items():
        kind = escape(field_type_text(field))
        needed = " <b>required</b>" if name in required else ""
        words = escape(field.get("description", ""))
        yield (
            f"<tr><td><code>{escape(name)}</code>{needed}</td>"
            f"<td><code>{kind}</code></td><td>{words}</td></tr>"
        )


def field_type_text(field: Mapping[str, Any]) -> str:
    """Return the type of a field in a few words.

    >>> field_type_text({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]})
    'integer from 1'
    >>> field_type_text({"type": "array", "items": {"type": "string"}})
    'list of string'
    """
    parts = [part for part in field.get("anyOf", (field,)) if part != {"type": "null"}]
    return " or ".join(dict.fromkeys(map(_plain_type_text, parts)))


def _plain_type_text(part: Mapping[str, Any]) -> str:
    if "enum" in part:
        return ", ".join(map(str, part["enum"][:_MAX_CHOICES]))
    if "$ref" in part:
        return str(part["$ref"].rpartition("/")[2])
    if part.get("type") == "array":
        return f"list of {field_type_text(part.get('items', {}))}".removesuffix(" of any")
    kind = str(part.get("format") or part.get("type") or "any")
    least, most = part.get("minimum"), part.get("maximum")
    if least is not None and most is not None:
        return f"{kind} from {least} to {most}"
    return kind if least is None else f"{kind} from {least}"
