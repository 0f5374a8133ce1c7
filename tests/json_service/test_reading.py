"""What is wrong in a description is found when it is read, with the field named."""

from pathlib import Path
from typing import Any

import pytest

from tests.settings.support import load
from webseam.adapters.services.json_api.block import read_json_search, service_presets
from webseam.composition.settings.json_services import custom_json_services

GOOD = {"url_template": "https://a.example/s?q={query}", "results_path": "items"}


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        (
            {"url_templat": "x"},
            "url_templat",
            "is not a setting of a JSON service; url_template is",
        ),
        ({"preset": "bing"}, "preset", f"must be one of {', '.join(sorted(service_presets()))}"),
        ({"url_template": 5}, "url_template", "must be a text"),
        (
            {"url_template": "ftp://a.example/{query}"},
            "url_template",
            "must be an http or https URL without a user name",
        ),
        (
            {"url_template": "https:///x{query}"},
            "url_template",
            "must be an http or https URL without a user name",
        ),
        (
            {"url_template": "https://me:pw@a.example/{query}"},
            "url_template",
            "must be an http or https URL without a user name",
        ),
        ({"url_template": "https://[a/{query}"}, "url_template", "is not a URL"),
        (
            {"url_template": "https://{query}.example/"},
            "url_template",
            "only the part after the host can be filled, in url_template",
        ),
        (
            {"url_template": "https://a.example/{qurey}"},
            "url_template",
            "{qurey} is not a place to fill; there are {query}, {limit}, {country}, {language}, ...",
        ),
        (
            {"url_template": "https://a.example/{query"},
            "url_template",
            "has a single brace; write {{ or }} where a brace is meant",
        ),
        (
            {"url_template": "https://a.example/s"},
            "url_template",
            "nothing has {query}, so the query would go nowhere",
        ),
        (
            {"endpoint": "https://a.example/"},
            "endpoint",
            "either endpoint or url_template must be given",
        ),
        ({"url_template": None}, "endpoint", "either endpoint or url_template must be given"),
        (
            {"url_template": None, "endpoint": "https://a.example/{query}"},
            "endpoint",
            "only the part after the host can be filled, in url_template",
        ),
        (
            {"url_template": None, "endpoint": "https://a.example/"},
            "parameters",
            "nothing has {query}, so the query would go nowhere",
        ),
        ({"method": "PUT"}, "method", "must be one of GET, POST"),
        ({"method": "GET", "body": {"a": "b"}}, "method", "a GET has no body; use POST"),
        ({"body": "text"}, "body", "must be a block or a list, as the JSON that is sent"),
        (
            {"body": {"a": ["{b}"]}},
            "body",
            "{b} is not a place to fill; there are {query}, {limit}, {country}, {language}, ...",
        ),
        ({"body_format": "form"}, "body_format", "a form needs a body of names and values"),
        ({"parameters": ["a"]}, "parameters", "must be a block of names and values"),
        (
            {"parameters": {"a": "{"}},
            "parameters.a",
            "has a single brace; write {{ or }} where a brace is meant",
        ),
        ({"parameters": {"a": ["b"]}}, "parameters.a", "must be a text"),
        ({"headers": "a"}, "headers", "must be a block of names and values"),
        ({"headers": {"a b": "c"}}, "headers.a b", "is not the name of a header"),
        ({"headers": {"Host": "c"}}, "headers.Host", "is set by webseam itself"),
        ({"headers": {"A": "b\r\nC: d"}}, "headers.A", "must be a text of plain letters"),
        ({"headers": {"A": None}}, "headers.A", "must be a text of plain letters"),
        ({"auth": "basic"}, "auth", "must be one of none, bearer, header, query"),
        ({"auth": "header"}, "auth_name", "must name the header or the parameter"),
        ({"auth": "header", "auth_name": "x y"}, "auth_name", "is not the name of a header"),
        ({"api_key_env": [5]}, "api_key_env", "must be a text or a list of texts"),
        (
            {"results_path": "a..b"},
            "results_path",
            'is not a path at 2: write data.items, data[0] or data["a.b"]',
        ),
        (
            {"results_path": "a[*]"},
            "results_path",
            'is not a path at 2: write data.items, data[0] or data["a.b"]',
        ),
        ({"results_path": 5}, "results_path", "must be a path such as data.items"),
        (
            {"fields": {"link": "url"}},
            "fields.link",
            "is not a field of a row; there are title, url, snippet, published_at, score",
        ),
        (
            {"fields": {"url": "a."}},
            "fields.url",
            'is not a path at 2: write data.items, data[0] or data["a.b"]',
        ),
        ({"fields": {"url": ["a", 5]}}, "fields.url", "must be a path such as data.items"),
        ({"fields": "url"}, "fields", "must be a block of fields and their paths"),
        ({"max_results": 0}, "max_results", "must be a whole number above 0"),
        ({"max_results": True}, "max_results", "must be a whole number above 0"),
        ({"site_operator": "yes"}, "site_operator", "must be true or false"),
        ({"success_path": "ok"}, "success_value", "must say what success_path should be"),
        ({"timeout": 0}, "timeout", "must be a number of seconds above 0"),
        ({"timeout": float("inf")}, "timeout", "must be a number of seconds above 0"),
        ({"title": ["a"]}, "title", "must be a text"),
    ],
)
def test_the_field_that_is_wrong_is_named(change: dict[str, Any], field: str, reason: str) -> None:
    block = {name: value for name, value in {**GOOD, **change}.items() if value is not None}

    problem = read_json_search(block).failure()

    assert (".".join(problem.field), problem.reason) == (field, reason)


def test_the_line_of_the_field_is_named(tmp_path: Path) -> None:
    config = "json:\n  mine:\n    endpoint: https://a.example/\n    parameters: {q: '{query}'}\n    fields:\n      title: name\n      link: url\n"

    failure = custom_json_services(load(tmp_path, config).unwrap()).failure()

    assert failure.message == (
        f"{tmp_path}/home/config.yaml:7: json.mine.fields.link: is not a field of a row; "
        "there are title, url, snippet, published_at, score."
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            "json:\n  Mine: {timeout: 3}\n",
            ":2: json.Mine: must be a name in small letters, digits, - and _.",
        ),
        (
            "json:\n  lumen: {timeout: 3}\n",
            ":2: json.lumen: is the name of another service; choose another name.",
        ),
        (
            "json:\n  mine:\n    timeout: 3\n",
            ":3: json.mine.endpoint: either endpoint or url_template must be given.",
        ),
    ],
)
def test_missing_description_field_is_named_with_its_place(
    tmp_path: Path, config: str, message: str
) -> None:
    failure = custom_json_services(load(tmp_path, config).unwrap(), ("lumen",)).failure()

    assert failure.message == f"{tmp_path}/home/config.yaml{message}"


def test_several_services_have_their_names_and_times(tmp_path: Path) -> None:
    one, *_, two = sorted(service_presets())
    config = (
        f"json:\n  one: {{endpoint: 'http://localhost:1', preset: {one}, timeout: 3}}\n"
        f"  two: {{endpoint: 'http://localhost:2', preset: {two}}}\n"
    )

    outcome = custom_json_services(load(tmp_path, config).unwrap()).unwrap()

    assert {name: (each.service.name, each.timeout) for name, each in outcome.items()} == {
        "one": ("one", 3.0),
        "two": ("two", None),
    }
