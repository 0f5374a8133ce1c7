"""Paths into JSON, and texts with places to fill, such as ``{query}``; ``{{`` is a brace."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias
from urllib.parse import quote

from returns.result import Failure, Result, Success

JsonPath: TypeAlias = tuple[str | int, ...]
_STEP = re.compile(r"""\.?([^.\[\]"'*\s$]+)|\[(\d{1,6})\]|\[(?:"([^"]+)"|'([^']+)')\]""")


def read_path(text: str) -> Result[JsonPath, str]:
    """Read a path; an empty one, or ``$``, is the whole document.

    >>> read_path("$.data.items[0]['a.b']").unwrap()
    ('data', 'items', 0, 'a.b')
    >>> read_path("data..items").failure()
    'is not a path at 5: write data.items, data[0] or data["a.b"]'
    """
    bare = text.strip()
    at, steps = int(bare.startswith("$")), list[str | int]()
    while at < len(bare):
        step = _STEP.match(bare, at)
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


# Texts with places to fill: ``{query}``, ``{limit}`` and the filters. ``{{`` is a brace.

# A parameter's text, or anything that JSON can hold: a body.
Template: TypeAlias = object
Filling: TypeAlias = Mapping[str, str | int | None]
PLACEHOLDERS = ("query", "limit", "country", "language", "after", "before")
_TOKEN = re.compile(r"\{\{|\}\}|\{([A-Za-z_]*)\}|[{}]")
_ONE = re.compile(r"\{([a-z]+)\}")


def explain_template_fault(template: str) -> str | None:
    """Say what is wrong with a template; None when nothing is.

    >>> explain_template_fault("{query} {qurey}")
    '{qurey} is not a place to fill; there are {query}, {limit}, {country}, {language}, ...'
    """
    for token in _TOKEN.finditer(template):
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
    names = (token[1] for text in template_texts(template) for token in _TOKEN.finditer(text))
    return {place for place in names if place}


def fill_url(template: str, filling: Filling) -> str:
    """Fill a part of a URL; every value is escaped, so that none can leave its place.

    >>> fill_url("/s?q={query}&n={limit}", {"query": "a&b=/c", "limit": None})
    '/s?q=a%26b%3D%2Fc&n='
    """
    return _fill(template, {name: quote(_text(value), safe="") for name, value in filling.items()})


def fill_template(template: Template, filling: Filling) -> object:
    """Fill a template. What is one place alone keeps its type, and is None without a value.

    >>> template = {"q": "{query}!", "n": "{limit}", "c": "{country}"}
    >>> fill_template(template, {"query": "x", "limit": 5})
    {'q': 'x!', 'n': 5}
    """
    if isinstance(template, str):
        alone = _ONE.fullmatch(template)
        if alone is not None:
            return filling.get(alone[1])
        return _fill(template, {name: _text(value) for name, value in filling.items()})
    if isinstance(template, Mapping):
        filled = {name: fill_template(value, filling) for name, value in template.items()}
        gone = {name for name, value in filled.items() if value is None and template[name]}
        return {name: value for name, value in filled.items() if name not in gone}
    if isinstance(template, list | tuple):
        return [fill_template(value, filling) for value in template]
    return template


def _fill(template: str, filling: Mapping[str, str]) -> str:
    def put(token: re.Match[str]) -> str:
        return token[0][0] if token[1] is None else filling.get(token[1], "")

    return _TOKEN.sub(put, template)


def _text(value: str | int | None) -> str:
    return "" if value is None else str(value)
