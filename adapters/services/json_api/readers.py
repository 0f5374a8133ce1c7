"""Readers of single settings of a JSON service: each returns the value, or what is wrong."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote

import msgspec
from returns.result import Failure, Result, Success

from ...values.field_values import number
from ..calls import Method

JsonPath: TypeAlias = tuple[str | int, ...]
_PATH_STEP_PATTERN = re.compile(
    r"""\.?([^.\[\]"'*\s$]+)|\[(\d{1,6})\]|\[(?:"([^"]+)"|'([^']+)')\]"""
)
PLACEHOLDERS = ("query", "limit", "country", "language", "after", "before")
_TEMPLATE_TOKEN_PATTERN = re.compile(r"\{\{|\}\}|\{([A-Za-z_]*)\}|[{}]")
_SINGLE_PLACEHOLDER_PATTERN = re.compile(r"\{([a-z]+)\}")
ROW_FIELDS = ("title", "url", "snippet", "published_at", "score")
_HEADER_NAME_PATTERN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_RESERVED_HEADERS = ("connection", "content-length", "content-type", "host", "transfer-encoding")


def parse_json_path(text: str) -> Result[JsonPath, str]:
    """Parse a path; an empty one, or ``$``, is the whole document.

    >>> parse_json_path("$.data.items[0]['a.b']").unwrap()
    ('data', 'items', 0, 'a.b')
    >>> parse_json_path("data..items").failure()
    'is not a path at 5: write data.items, data[0] or data["a.b"]'
    """
    path_text = text.strip()
    offset, steps = int(path_text.startswith("$")), list[str | int]()
    while offset < len(path_text):
        step = _PATH_STEP_PATTERN.match(path_text, offset)
        # A dot is only allowed between two names.
        if step is None or (step[1] and (path_text[offset] == ".") != (offset > 0)):
            example = 'write data.items, data[0] or data["a.b"]'
            return Failure(f"is not a path at {offset + 1}: {example}")
        steps.append(int(step[2]) if step[2] else step[1] or step[3] or step[4])
        offset = step.end()
    return Success(tuple(steps))


def json_path_text(path: JsonPath) -> str:
    """Return a path as text, for an error.

    >>> json_path_text(("data", 0, "name"))
    '$.data[0].name'
    """
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


# The text of a parameter, or a body: any JSON value.
Template: TypeAlias = object
PlaceholderValues: TypeAlias = Mapping[str, str | int | None]


def explain_template_fault(template: str) -> str | None:
    """Return what is wrong with a template; None for a good one.

    >>> explain_template_fault("{query} {qurey}")
    '{qurey} is not a place to fill; there are {query}, {limit}, {country}, {language}, ...'
    """
    for token in _TEMPLATE_TOKEN_PATTERN.finditer(template):
        if token[0] in ("{{", "}}") or token[1] in PLACEHOLDERS:
            continue
        if token[1] is None:
            return "has a single brace; write {{ or }} where a brace is meant"
        names = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS[:4])
        return f"{token[0]} is not a place to fill; there are {names}, ..."
    return None


def template_texts(template: Template) -> Iterator[str]:
    """Yield every text in a template, at any depth."""
    if isinstance(template, str):
        yield template
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from template_texts(value)
    elif isinstance(template, list | tuple):
        for value in template:
            yield from template_texts(value)


def template_placeholders(template: Template) -> set[str]:
    """Return the names of a template's placeholders."""
    names = (
        token[1]
        for text in template_texts(template)
        for token in _TEMPLATE_TOKEN_PATTERN.finditer(text)
    )
    return {name for name in names if name}


def fill_url(template: str, filling: PlaceholderValues) -> str:
    """Fill a part of a URL; every value is escaped, so that none can change the URL's parts.

    >>> fill_url("/s?q={query}&n={limit}", {"query": "a&b=/c", "limit": None})
    '/s?q=a%26b%3D%2Fc&n='
    """
    texts = {name: quote(_placeholder_text(value), safe="") for name, value in filling.items()}
    return _fill_placeholders(template, texts)


def fill_template(template: Template, filling: PlaceholderValues) -> object:
    """Fill a template. A single placeholder keeps its value's type; without a value it is None.

    >>> template = {"q": "{query}!", "n": "{limit}", "c": "{country}"}
    >>> fill_template(template, {"query": "x", "limit": 5})
    {'q': 'x!', 'n': 5}
    """
    if isinstance(template, str):
        single = _SINGLE_PLACEHOLDER_PATTERN.fullmatch(template)
        if single is not None:
            return filling.get(single[1])
        texts = {name: _placeholder_text(value) for name, value in filling.items()}
        return _fill_placeholders(template, texts)
    if isinstance(template, Mapping):
        filled = {name: fill_template(value, filling) for name, value in template.items()}
        empty_names = {name for name, value in filled.items() if value is None and template[name]}
        return {name: value for name, value in filled.items() if name not in empty_names}
    if isinstance(template, list | tuple):
        return [fill_template(value, filling) for value in template]
    return template


def _fill_placeholders(template: str, filling: Mapping[str, str]) -> str:
    def fill_token(token: re.Match[str]) -> str:
        return token[0][0] if token[1] is None else filling.get(token[1], "")

    return _TEMPLATE_TOKEN_PATTERN.sub(fill_token, template)


def _placeholder_text(value: str | int | None) -> str:
    return "" if value is None else str(value)


Auth: TypeAlias = Literal["none", "bearer", "header", "query"]
BodyFormat: TypeAlias = Literal["json", "form"]


class JsonSearch(msgspec.Struct, frozen=True, kw_only=True):
    """The checked description of one API: its request, and the paths of rows and fields.

    ``origin`` is scheme and host, which no placeholder can change; ``path`` is a template. Each
    field has a list of paths; the first with a value counts. ``settled`` are the fields whose paths
    the settings give; the others have the usual names. ``html_fields`` are those of title and
    snippet that the API sends as HTML.
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
    settled: tuple[str, ...] = ()
    limit_parameter: str = ""
    max_results: int | None = None
    site_operator: bool = False
    error_path: JsonPath | None = None
    success_path: JsonPath | None = None
    success_value: str = ""
    timeout: float | None = None
    html_fields: tuple[str, ...] = ()


class FieldProblem(msgspec.Struct, frozen=True, kw_only=True):
    """The reason why a field of the block, such as ``("fields", "link")``, is wrong."""

    field: tuple[str, ...] = ()
    reason: str


SettingOutcome: TypeAlias = Result[Any, FieldProblem]
SettingReader: TypeAlias = Callable[[object], SettingOutcome]


def text_setting(value: object) -> SettingOutcome:
    """Read a text; a number or a boolean becomes its spelling."""
    if isinstance(value, bool):
        return Success(str(value).lower())
    is_text = isinstance(value, str | int | float)
    return Success(str(value).strip()) if is_text else _setting_fault("a text")


def text_list_setting(value: object) -> SettingOutcome:
    """Read one text or several."""
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in values):
        return _setting_fault("a text or a list of texts")
    return Success(tuple(values))


def html_fields_setting(value: object) -> SettingOutcome:
    """Read which texts of a row are HTML."""
    fields = value if isinstance(value, list) else [value]
    if not all(field in ("title", "snippet") for field in fields):
        return _setting_fault("title, snippet or a list of both")
    return Success(tuple(fields))


def flag_setting(value: object) -> SettingOutcome:
    """Read a boolean."""
    return Success(value) if isinstance(value, bool) else _setting_fault("true or false")


def count_setting(value: object) -> SettingOutcome:
    """Read a whole number above zero."""
    is_valid = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return Success(value) if is_valid else _setting_fault("a whole number above 0")


def seconds_setting(value: object) -> SettingOutcome:
    """Read a number of seconds above zero."""
    seconds = number(value)
    is_valid = seconds is not None and seconds > 0
    return Success(seconds) if is_valid else _setting_fault("a number of seconds above 0")


def choice_setting(kind: object) -> SettingReader:
    """Return a reader for the values of a ``Literal`` type, in any letter case."""
    choices: dict[str, str] = {str(choice).lower(): choice for choice in get_args(kind)}

    def read(value: object) -> SettingOutcome:
        choice = choices.get(str(value).strip().lower())
        return (
            Success(choice) if choice else _setting_fault(f"one of {', '.join(choices.values())}")
        )

    return read


def path_setting(value: object) -> SettingOutcome:
    """Read a path into the answer."""
    if not isinstance(value, str):
        return _setting_fault("a path such as data.items")
    return parse_json_path(value).alt(lambda reason: FieldProblem(reason=reason))


def template_setting(value: object) -> SettingOutcome:
    """Read a text with placeholders."""
    if not isinstance(value, str):
        return _setting_fault("a text")
    fault = explain_template_fault(value)
    return Success(value.strip()) if fault is None else Failure(FieldProblem(reason=fault))


def parameters_setting(value: object) -> SettingOutcome:
    """Read parameters by name, each a text with placeholders."""
    if not isinstance(value, Mapping):
        return _setting_fault("a block of names and values")
    for name, item in value.items():
        template = template_setting(item) if isinstance(item, str) else text_setting(item)
        if isinstance(template, Failure):
            return _nested_problem(str(name), template.failure())
    return Success(dict(value))


def body_setting(value: object) -> SettingOutcome:
    """Read the JSON body, with placeholders in its texts."""
    if not isinstance(value, Mapping | list):
        return _setting_fault("a block or a list, as the JSON that is sent")
    fault = next(
        (reason for text in template_texts(value) if (reason := explain_template_fault(text))), None
    )
    return Success(value) if fault is None else Failure(FieldProblem(reason=fault))


def headers_setting(value: object) -> SettingOutcome:
    """Read headers; their names become lower case."""
    if not isinstance(value, Mapping):
        return _setting_fault("a block of names and values")
    headers: list[tuple[str, str]] = []
    for name, item in value.items():
        text = text_setting(item).value_or(None)
        if text is None or not (text.isascii() and text.isprintable()):
            problem = FieldProblem(reason="must be a text of plain letters")
            return _nested_problem(str(name), problem)
        fault = explain_header_fault(str(name))
        if fault is not None:
            return _nested_problem(str(name), FieldProblem(reason=fault))
        headers.append((str(name).lower(), text))
    return Success(tuple(headers))


def explain_header_fault(name: str) -> str | None:
    """Return why a header cannot have this name; None when it can."""
    if _HEADER_NAME_PATTERN.fullmatch(name) is None:
        return "is not the name of a header"
    return "is set by webseam itself" if name.lower() in _RESERVED_HEADERS else None


def fields_setting(value: object) -> SettingOutcome:
    """Read the paths of each row field; a field may have several."""
    if not isinstance(value, Mapping):
        return _setting_fault("a block of fields and their paths")
    field_paths: dict[str, tuple[JsonPath, ...]] = {}
    for name, item in value.items():
        if name not in ROW_FIELDS:
            reason = f"is not a field of a row; there are {', '.join(ROW_FIELDS)}"
            return _nested_problem(str(name), FieldProblem(reason=reason))
        paths = [path_setting(path) for path in (item if isinstance(item, list) else [item])]
        failed_path = next((path for path in paths if isinstance(path, Failure)), None)
        if failed_path is not None:
            return _nested_problem(name, failed_path.failure())
        field_paths[name] = tuple(path.unwrap() for path in paths)
    return Success(field_paths)


def _nested_problem(name: str, problem: FieldProblem) -> Failure[FieldProblem]:
    return Failure(msgspec.structs.replace(problem, field=(name, *problem.field)))


def _setting_fault(description: str) -> Failure[FieldProblem]:
    return Failure(FieldProblem(reason=f"must be {description}"))
