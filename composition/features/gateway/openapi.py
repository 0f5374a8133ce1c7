"""The OpenAPI document of the native API, made from its structs."""

import re
from functools import lru_cache
from importlib.metadata import version
from typing import Any, get_args

import msgspec

from webseam.kernel.text.trim import Piece
from webseam.ports.data import Basis, DataArguments, RefusedField
from webseam.ports.evidence import AskArguments
from webseam.ports.found import Found
from webseam.ports.keys import KeyTool
from webseam.ports.pages import LeftOut, PageView
from webseam.ports.receipts import ExtractReceipt, SearchReceipt
from webseam.ports.tools import MoreArguments, SearchArguments
from webseam.ports.web import RejectedRow
from webseam.ports.x_search import XSearchRequest

from ...tools import descriptions as words
from .asgi_replies import STATUSES
from .native_api import MAX_URLS, ExtractMany

_REF_TEMPLATE = "#/components/schemas/{name}"
_EXTRACT_FIELDS = {
    **words.EXTRACT_FIELDS,
    "urls": f"Absolute http or https URLs, 1 to {MAX_URLS}.",
}
_REQUEST_BODIES: dict[KeyTool, tuple[type[msgspec.Struct], str, dict[str, str]]] = {
    "search": (SearchArguments, words.SEARCH_WORDS, words.SEARCH_FIELDS),
    "extract": (ExtractMany, words.EXTRACT_WORDS, _EXTRACT_FIELDS),
    "more": (MoreArguments, words.MORE_WORDS, words.MORE_FIELDS),
    "data": (DataArguments, words.DATA_WORDS, words.DATA_FIELDS),
    "x": (XSearchRequest, words.X_WORDS, words.X_FIELDS),
    "ask": (AskArguments, words.ASK_WORDS, words.ASK_FIELDS),
}
_POSSESSIVE_PATTERN = re.compile(r"([+*?}])\+")
_RECEIPT_TYPES = (
    SearchReceipt, ExtractReceipt, Piece, Found, LeftOut, RejectedRow, Basis, RefusedField,
)  # fmt: skip


@lru_cache(maxsize=8)
def openapi_document(prefix: str = "") -> bytes:
    """Return the OpenAPI document as JSON for callers below a path prefix."""
    return msgspec.json.encode(build_openapi(prefix))


def build_openapi(prefix: str = "") -> dict[str, object]:
    """Return the document (OpenAPI 3.1)."""
    kinds = [body for body, _, _ in _REQUEST_BODIES.values()]
    _, components = msgspec.json.schema_components(
        [*kinds, *_RECEIPT_TYPES], ref_template=_REF_TEMPLATE
    )
    schemas: dict[str, Any] = _ecma_patterns({**components, **_envelope_schemas()})
    for body, _, explained in _REQUEST_BODIES.values():
        for name, part in schemas[body.__name__]["properties"].items():
            part["description"] = explained[name]
    return {
        "openapi": "3.1.0",
        "info": {"title": "webseam", "version": version("webseam")},
        "servers": [{"url": prefix or "/"}],
        "paths": {
            **{f"/api/{tool}": {"post": _tool_operation(tool)} for tool in _REQUEST_BODIES},
            "/health": {"get": _get_operation("The process lives.")},
            "/ready": {"get": _get_operation("Calls are taken; 503 while it starts or ends.")},
            "/metrics": {"get": _get_operation("Figures for Prometheus.", "text/plain")},
            "/openapi.json": {"get": _get_operation("This document.")},
            "/docs": {"get": _get_operation("This document as a page.", "text/html")},
        },
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"key": []}],
    }


def _ecma_patterns(schema: Any) -> Any:  # noqa: ANN401  any part of a schema
    """Return a schema whose patterns are ECMAScript's, without Python's marks."""
    if isinstance(schema, dict):
        return {
            name: _POSSESSIVE_PATTERN.sub(r"\1", part.replace(r"\Z", "$").replace(r"\"", '"'))
            if name == "pattern" and isinstance(part, str)
            else _ecma_patterns(part)
            for name, part in schema.items()
        }
    return list(map(_ecma_patterns, schema)) if isinstance(schema, list | tuple) else schema


def _tool_operation(tool: KeyTool) -> dict[str, object]:
    body, about, _ = _REQUEST_BODIES[tool]
    failure = {"description": "No answer, and why.", **_schema_content("Failure")}
    statuses = sorted({*STATUSES.values()})
    return {
        "operationId": tool,
        "summary": about.split(". ")[0] + ".",
        "description": about,
        "requestBody": {"required": True, **_schema_content(body.__name__)},
        "responses": {
            "200": {"description": "The answer.", **_schema_content(f"{tool.capitalize()}Answer")},
            **{str(status): failure for status in statuses},
        },
    }


def _schema_content(name: str, media_type: str = "application/json") -> dict[str, object]:
    return {"content": {media_type: {"schema": _schema_ref(name)}}}


def _schema_ref(name: str) -> dict[str, str]:
    return {"$ref": _REF_TEMPLATE.format(name=name)}


def _get_operation(words_: str, media_type: str = "application/json") -> dict[str, object]:
    return {
        "summary": words_,
        "responses": {"200": {"description": words_, "content": {media_type: {}}}},
    }


def _object_schema(required: list[str], **properties: object) -> dict[str, object]:
    return {"type": "object", "required": required, "properties": properties}


def _envelope_schemas() -> dict[str, object]:
    """Return the envelopes, which the kernel writes as plain objects."""
    text, number, anything = {"type": "string"}, {"type": "integer"}, {"type": "object"}
    success = {"const": True}
    row = _object_schema(
        ["title", "url", "description", "position"],
        title=text,
        url=text,
        description=text,
        position=number,
        published_at=text,
        found_by={"type": "array", "items": anything},
    )
    error = {
        "anyOf": [{"type": "null"}, _object_schema(["message", "kind"], message=text, kind=text)]
    }
    page = _object_schema(
        [
            "url",
            "title",
            "content",
            "view",
            "complete",
            "cuts",
            "left_out",
            "notes",
            "metadata",
            "error",
        ],
        url=text,
        final_url={"type": ["string", "null"]},
        title=text,
        content=text,
        raw_content=text,
        view={"enum": [None, *get_args(PageView)]},
        complete={"type": ["boolean", "null"]},
        cuts={"type": "array", "items": text},
        left_out={"type": ["array", "null"], "items": _schema_ref("LeftOut")},
        notes={"type": "array", "items": text},
        metadata=anything,
        error=error,
    )
    failure = _object_schema(["kind", "retryable"], kind=text, retryable={"type": "boolean"})
    return {
        "Failure": _object_schema(
            ["success", "error", "failure"], success={"const": False}, error=text, failure=failure
        ),
        "SearchAnswer": _object_schema(
            ["success", "data", "receipt"],
            success=success,
            data=_object_schema(
                ["web"],
                web={"type": "array", "items": row},
                answer=text,
                rejected={"type": "array", "items": _schema_ref("RejectedRow")},
            ),
            receipt=_schema_ref("SearchReceipt"),
        ),
        "ExtractAnswer": _object_schema(
            ["success", "data", "failed", "receipt"],
            success=success,
            data=_object_schema(["results"], results={"type": "array", "items": page}),
            failed=number,
            receipt=_object_schema(
                ["backend", "pages"],
                backend=text,
                pages={
                    "type": "array",
                    "items": {"anyOf": [{"type": "null"}, _schema_ref("ExtractReceipt")]},
                },
            ),
        ),
        "MoreAnswer": _object_schema(
            ["success", "data"],
            success=success,
            data={"anyOf": [_schema_ref("Piece"), _schema_ref("Found")]},
        ),
        "DataAnswer": _object_schema(
            ["success", "data"],
            success=success,
            data=_object_schema(
                ["url", "values", "basis", "refused"],
                url=text,
                values=anything,
                basis={"type": "object", "additionalProperties": _schema_ref("Basis")},
                refused={"type": "object", "additionalProperties": _schema_ref("RefusedField")},
            ),
            receipt=_schema_ref("ExtractReceipt"),
        ),
        "AskAnswer": _object_schema(
            ["success", "data", "receipt"],
            success=success,
            data=_object_schema(
                ["answer", "claims", "unsupported", "missing", "extractive"],
                answer=text,
                claims={"type": "array", "items": anything},
                unsupported={"type": "array", "items": anything},
                missing=text,
                extractive={"type": "boolean"},
            ),
            receipt=anything,
        ),
        "XAnswer": _object_schema(["success"], success=success, answer=text),
    }
