"""Single settings of a block: each reader returns the value, or what it must be instead."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote

import msgspec
from returns.result import Failure, Result, Success

from ..service.operations import Method
from ..values.field_values import number

JsonPath: TypeAlias = tuple[str | int, ...]
_PATH_STEP_PATTERN = re.compile(
    r"""\.?([^.\[\]"'*\s$]+)|\[(\d{1,6})\]|\[(?:"([^"]+)"|'([^']+)')\]"""
)


def parse_json_path(text: str) -> Result[JsonPath, str]:
    """Read a path; an empty one, or ``$``, is the whole document.

    >>> parse_json_path("$.data.items[0]['a.b']").unwrap()
    ('data', 'items', 0, 'a.b')
    >>> parse_json_path("data..items").failure()
    'is not a path at 5: write data.items, data[0] or data["a.b"]'
    """
    bare = text.strip()
    at, steps = int(bare.startswith("$")), list[str | int]()
    while at < len(bare):
        step = _PATH_STEP_PATTERN.match(bare, at)
        # A dot stands between two names and nowhere else.
        if step is None or (step[1] and (bare[at] == ".") != (at > 0)):
            return Failure(f'is not a path at {at + 1}: write data.items, data[0] or data["a.b"]')
        steps.append(int(step[2]) if step[2] else step[1] or step[3] or step[4])
        at = step.end()
    return Success(tuple(steps))


def json_path_text(path: JsonPath) -> str:
    """Write a path for an error.

    >>> json_path_text(("data", 0, "name"))
    '$.data[0].name'
    """
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


# A parameter's text, or anything that JSON can hold: a body.
Template: TypeAlias = object
PlaceholderValues: TypeAlias = Mapping[str, str | int | None]
PLACEHOLDERS = ("query", "limit", "country", "language", "after", "before")
_TEMPLATE_TOKEN_PATTERN = re.compile(r"\{\{|\}\}|\{([A-Za-z_]*)\}|[{}]")
_SINGLE_PLACEHOLDER_PATTERN = re.compile(r"\{([a-z]+)\}")


def explain_template_fault(template: str) -> str | None:
    """Say what is wrong with a template; None when nothing is.

    >>> explain_template_fault("{query} {qurey}")
    '{qurey} is not a place to fill; there are {query}, {limit}, {country}, {language}, ...'
    """
    for token in _TEMPLATE_TOKEN_PATTERN.finditer(template):
        if token[0] in ("{{", "}}") or token[1] in PLACEHOLDERS:
            continue
        if token[1] is None:
            return "has a single brace; write {{ or }} where a brace is meant"
        known = ", ".join(f"{{{place}}}" for place in PLACEHOLDERS[:4])
        return f"{token[0]} is not a place to fill; there are {known}, ..."
    return None


def template_texts(template: Template) -> Iterator[str]:
    """Yield every text in a template, however deep."""
    if isinstance(template, str):
        yield template
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from template_texts(value)
    elif isinstance(template, list | tuple):
        for value in template:
            yield from template_texts(value)


def template_placeholders(template: Template) -> set[str]:
    """Return the places that a template has."""
    names = (
        token[1]
        for text in template_texts(template)
        for token in _TEMPLATE_TOKEN_PATTERN.finditer(text)
    )
    return {place for place in names if place}


def fill_url(template: str, filling: PlaceholderValues) -> str:
    """Fill a part of a URL; every value is escaped, so that none can leave its place.

    >>> fill_url("/s?q={query}&n={limit}", {"query": "a&b=/c", "limit": None})
    '/s?q=a%26b%3D%2Fc&n='
    """
    return _fill_placeholders(
        template,
        {name: quote(_placeholder_text(value), safe="") for name, value in filling.items()},
    )


def fill_template(template: Template, filling: PlaceholderValues) -> object:
    """Fill a template. What is one place alone keeps its type, and is None without a value.

    >>> template = {"q": "{query}!", "n": "{limit}", "c": "{country}"}
    >>> fill_template(template, {"query": "x", "limit": 5})
    {'q': 'x!', 'n': 5}
    """
    if isinstance(template, str):
        alone = _SINGLE_PLACEHOLDER_PATTERN.fullmatch(template)
        if alone is not None:
            return filling.get(alone[1])
        return _fill_placeholders(
            template, {name: _placeholder_text(value) for name, value in filling.items()}
        )
    if isinstance(template, Mapping):
        filled = {name: fill_template(value, filling) for name, value in template.items()}
        gone = {name for name, value in filled.items() if value is None and template[name]}
        return {name: value for name, value in filled.items() if name not in gone}
    if isinstance(template, list | tuple):
        return [fill_template(value, filling) for value in template]
    return template


def _fill_placeholders(template: str, filling: Mapping[str, str]) -> str:
    def put(token: re.Match[str]) -> str:
        return token[0][0] if token[1] is None else filling.get(token[1], "")

    return _TEMPLATE_TOKEN_PATTERN.sub(put, template)


def _placeholder_text(value: str | int | None) -> str:
    return "" if value is None else str(value)


# A search API as settings describe it, checked.

Auth: TypeAlias = Literal["none", "bearer", "header", "query"]
BodyFormat: TypeAlias = Literal["json", "form"]
ROW_FIELDS = ("title", "url", "snippet", "published_at", "score")


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


# Single settings of a block: each reader returns the value, or what it must be instead.

_HEADER_NAME_PATTERN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_RESERVED_HEADERS = ("connection", "content-length", "content-type", "host", "transfer-encoding")


class FieldProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, and with which field of the block, such as ``("fields", "link")``."""

    field: tuple[str, ...] = ()
    reason: str


SettingOutcome: TypeAlias = Result[Any, FieldProblem]
SettingReader: TypeAlias = Callable[[object], SettingOutcome]


def text_setting(value: object) -> SettingOutcome:
    """Read a text; a number or a yes or no stands for its own spelling."""
    if isinstance(value, bool):
        return Success(str(value).lower())
    return (
        Success(str(value).strip()) if isinstance(value, str | int | float) else _must_be("a text")
    )


def texts_setting(value: object) -> SettingOutcome:
    """Read one text or several."""
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in listed):
        return _must_be("a text or a list of texts")
    return Success(tuple(listed))


def flag_setting(value: object) -> SettingOutcome:
    """Read a yes or no."""
    return Success(value) if isinstance(value, bool) else _must_be("true or false")


def count_setting(value: object) -> SettingOutcome:
    """Read a whole number above zero."""
    right = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return Success(value) if right else _must_be("a whole number above 0")


def seconds_setting(value: object) -> SettingOutcome:
    """Read a number of seconds above zero."""
    seconds = number(value)
    right = seconds is not None and seconds > 0
    return Success(seconds) if right else _must_be("a number of seconds above 0")


def choice_setting(kind: object) -> SettingReader:
    """Read one of the words that a type allows, in any case."""
    words: dict[str, str] = {str(word).lower(): word for word in get_args(kind)}

    def read(value: object) -> SettingOutcome:
        word = words.get(str(value).strip().lower())
        return Success(word) if word else _must_be(f"one of {', '.join(words.values())}")

    return read


def path_setting(value: object) -> SettingOutcome:
    """Read where something is in the answer."""
    if not isinstance(value, str):
        return _must_be("a path such as data.items")
    return parse_json_path(value).alt(lambda reason: FieldProblem(reason=reason))


def template_setting(value: object) -> SettingOutcome:
    """Read a text with places to fill."""
    if not isinstance(value, str):
        return _must_be("a text")
    wrong = explain_template_fault(value)
    return Success(value.strip()) if wrong is None else Failure(FieldProblem(reason=wrong))


def templates_setting(value: object) -> SettingOutcome:
    """Read parameters by name, each a text with places to fill."""
    if not isinstance(value, Mapping):
        return _must_be("a block of names and values")
    for name, item in value.items():
        template = template_setting(item) if isinstance(item, str) else text_setting(item)
        if isinstance(template, Failure):
            return _nested_problem(str(name), template.failure())
    return Success(dict(value))


def body_setting(value: object) -> SettingOutcome:
    """Read what is sent as JSON, with places to fill in its texts."""
    if not isinstance(value, Mapping | list):
        return _must_be("a block or a list, as the JSON that is sent")
    wrong = next(
        (why for text in template_texts(value) if (why := explain_template_fault(text))), None
    )
    return Success(value) if wrong is None else Failure(FieldProblem(reason=wrong))


def headers_setting(value: object) -> SettingOutcome:
    """Read headers by name, in small letters."""
    if not isinstance(value, Mapping):
        return _must_be("a block of names and values")
    headers: list[tuple[str, str]] = []
    for name, item in value.items():
        text = text_setting(item).value_or(None)
        if text is None or not (text.isascii() and text.isprintable()):
            return _nested_problem(
                str(name), FieldProblem(reason="must be a text of plain letters")
            )
        wrong = explain_header_fault(str(name))
        if wrong is not None:
            return _nested_problem(str(name), FieldProblem(reason=wrong))
        headers.append((str(name).lower(), text))
    return Success(tuple(headers))


def explain_header_fault(name: str) -> str | None:
    """Say why a header cannot have this name; None when it can."""
    if _HEADER_NAME_PATTERN.fullmatch(name) is None:
        return "is not the name of a header"
    return "is set by webseam itself" if name.lower() in _RESERVED_HEADERS else None


def fields_setting(value: object) -> SettingOutcome:
    """Read where each field of a row is; one may have several places."""
    if not isinstance(value, Mapping):
        return _must_be("a block of fields and their paths")
    paths_read: dict[str, tuple[JsonPath, ...]] = {}
    for name, item in value.items():
        if name not in ROW_FIELDS:
            known = f"is not a field of a row; there are {', '.join(ROW_FIELDS)}"
            return _nested_problem(str(name), FieldProblem(reason=known))
        paths = [path_setting(path) for path in (item if isinstance(item, list) else [item])]
        wrong = next((path for path in paths if isinstance(path, Failure)), None)
        if wrong is not None:
            return _nested_problem(name, wrong.failure())
        paths_read[name] = tuple(path.unwrap() for path in paths)
    return Success(paths_read)


def _nested_problem(name: str, problem: FieldProblem) -> Failure[FieldProblem]:
    return Failure(msgspec.structs.replace(problem, field=(name, *problem.field)))


def _must_be(what: str) -> Failure[FieldProblem]:
    return Failure(FieldProblem(reason=f"must be {what}"))
