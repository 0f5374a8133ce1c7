"""A search API as settings describe it, checked."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from ..service.operations import Method
from .templates import JsonPath, Template

Auth: TypeAlias = Literal["none", "bearer", "header", "query"]
BodyFormat: TypeAlias = Literal["json", "form"]

FIELDS = ("title", "url", "snippet", "published_at", "score")


class JsonSearch(msgspec.Struct, frozen=True, kw_only=True):
    """How one API is asked, and where in its answer the rows and their fields are.

    ``origin`` is scheme and host, which nothing that is asked can change; ``path`` is a template.
    Each field has the paths where it may be: the first that has a value counts.
    """

    origin: str
    path: str = ""
    title: str = ""
    method: Method = "GET"
    parameters: Mapping[str, Template] = {}
    body: Template = None
    body_format: BodyFormat = "json"
    headers: tuple[tuple[str, str], ...] = ()
    auth: Auth = "none"
    auth_name: str = ""
    api_key_env: tuple[str, ...] = ()
    results_path: JsonPath = ()
    fields: Mapping[str, tuple[JsonPath, ...]] = {}
    limit_parameter: str = ""
    max_results: int | None = None
    site_operator: bool = False
    error_path: JsonPath | None = None
    success_path: JsonPath | None = None
    success_value: str = ""
    timeout: float | None = None
