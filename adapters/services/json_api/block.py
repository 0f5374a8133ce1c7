"""Reading a settings block into a ``JsonSearch``; an error names the first wrong field."""

import functools
import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.text import nearest_name

from .. import vendors as services
from ..calls import Method
from ..declaration import Service
from . import readers
from .usual_names import USUAL_NAMES

_SETTING_READERS: Mapping[str, readers.SettingReader] = {
    "title": readers.text_setting, "url_template": readers.template_setting,
    "endpoint": readers.text_setting, "path": readers.template_setting,
    "method": readers.choice_setting(Method), "parameters": readers.parameters_setting,
    "body": readers.body_setting,
    "body_format": readers.choice_setting(readers.BodyFormat),
    "headers": readers.headers_setting, "auth": readers.choice_setting(readers.Auth),
    "auth_name": readers.text_setting, "api_key": readers.text_list_setting,
    "api_key_env": readers.text_list_setting, "results_path": readers.path_setting,
    "fields": readers.fields_setting, "limit_parameter": readers.text_setting,
    "max_results": readers.count_setting, "site_operator": readers.flag_setting,
    "error_path": readers.path_setting, "success_path": readers.path_setting,
    "success_value": readers.text_setting, "timeout": readers.seconds_setting,
    "html_fields": readers.html_fields_setting,
}  # fmt: skip
# Not fields of ``JsonSearch``: the address is split into parts, and the key is an option.
_ADDRESS_AND_KEY_SETTINGS = ("url_template", "endpoint", "path", "api_key")


@functools.cache
def service_presets() -> Mapping[str, Mapping[str, object]]:
    """Return the preset of every service that has one, by its names."""
    modules = (
        import_module(f"{services.__name__}.{entry.name}")
        for entry in pkgutil.iter_modules(services.__path__)
    )
    declarations = (getattr(module, "SERVICE", None) for module in modules)
    return {
        name: service.preset
        for service in declarations
        if isinstance(service, Service) and service.preset
        for name in (service.name, *service.aliases)
    }


def merge_preset(block: Mapping[str, object], preset: Mapping[str, object]) -> dict[str, object]:
    """Return a preset with a block's settings on top; parameters, fields and headers are merged.

    >>> merge_preset({"fields": {"url": "link"}}, {"path": "/s", "fields": {"title": "name"}})
    {'path': '/s', 'fields': {'title': 'name', 'url': 'link'}}
    """
    merged = {**preset, **block}
    for name in ("parameters", "fields", "headers"):
        preset_value, block_value = preset.get(name), block.get(name)
        if isinstance(preset_value, Mapping) and isinstance(block_value, Mapping):
            merged[name] = {**preset_value, **block_value}
    return merged


def read_json_search(
    block: Mapping[str, object],
) -> Result[readers.JsonSearch, readers.FieldProblem]:
    """Return the API that a block describes, or the first wrong field."""
    merged = _apply_preset(block)
    if isinstance(merged, Failure):
        return merged
    values: dict[str, Any] = {}
    for name, value in merged.unwrap().items():
        read = _SETTING_READERS.get(name)
        outcome = _unknown_setting(name) if read is None else read(value)
        if isinstance(outcome, Failure):
            problem = outcome.failure()
            return Failure(msgspec.structs.replace(problem, field=(name, *problem.field)))
        values[name] = outcome.unwrap()
    return _join_settings(values)


def _apply_preset(
    block: Mapping[str, object],
) -> Result[Mapping[str, object], readers.FieldProblem]:
    preset = block.get("preset")
    if preset is None:
        return Success(block)
    preset_block = service_presets().get(str(preset))
    if preset_block is None:
        names = ", ".join(sorted(service_presets()))
        return _setting_problem("preset", f"must be one of {names}")
    own_settings = {name: value for name, value in block.items() if name != "preset"}
    return Success(merge_preset(own_settings, preset_block))


def _unknown_setting(name: str) -> Failure[readers.FieldProblem]:
    near = nearest_name(name, [*_SETTING_READERS, "preset"])
    hint = f"; {near} is" if near else f"; there are {', '.join(sorted(_SETTING_READERS))}"
    return Failure(readers.FieldProblem(reason=f"is not a setting of a JSON service{hint}"))


def _join_settings(values: dict[str, Any]) -> Result[readers.JsonSearch, readers.FieldProblem]:
    address = _split_endpoint(values)
    if isinstance(address, Failure):
        return address
    origin, path = address.unwrap()
    problem = _check_query(values, path) or _check_body(values) or _check_auth(values)
    if problem is not None:
        return Failure(problem)
    fields = {
        name: value for name, value in values.items() if name not in _ADDRESS_AND_KEY_SETTINGS
    }
    has_key = "api_key" in values or "api_key_env" in values
    fields.setdefault("auth", "bearer" if has_key else "none")
    fields.setdefault("method", "POST" if "body" in values else "GET")
    given = fields.get("fields", {})
    usual_paths = {
        field: tuple((name,) for name in USUAL_NAMES.get(field, (field,)))
        for field in readers.ROW_FIELDS
    }
    fields["fields"] = usual_paths | given
    fields["settled"] = tuple(given)
    return Success(readers.JsonSearch(origin=origin, path=path, **fields))


def _split_endpoint(
    values: Mapping[str, Any],
) -> Result[tuple[str, str], readers.FieldProblem]:
    name = "url_template" if "url_template" in values else "endpoint"
    if name not in values or ("url_template" in values and "endpoint" in values):
        return _setting_problem("endpoint", "either endpoint or url_template must be given")
    text = values[name]
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return _setting_problem(name, "is not a URL")
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or parts.fragment:
        return _setting_problem(name, "must be an http or https URL without a user name")
    if "{" in parts.netloc or (name == "endpoint" and "{" in text):
        reason = "only the part after the host can be filled, in url_template"
        return _setting_problem(name, reason)
    rest = text.partition("://")[2][len(parts.netloc) :]
    path = values.get("path", "") if rest in ("", "/") else rest
    return Success((f"{parts.scheme}://{parts.netloc}", path or "/"))


def _check_query(values: Mapping[str, Any], path: str) -> readers.FieldProblem | None:
    if "query" in readers.template_placeholders(
        [path, values.get("parameters"), values.get("body")]
    ):
        return None
    name = "url_template" if "url_template" in values else "parameters"
    return readers.FieldProblem(
        field=(name,), reason="nothing has {query}, so the query would go nowhere"
    )


def _check_body(values: Mapping[str, Any]) -> readers.FieldProblem | None:
    if "body" in values and values.get("method") == "GET":
        return readers.FieldProblem(field=("method",), reason="a GET has no body; use POST")
    if values.get("body_format") == "form" and not isinstance(values.get("body"), Mapping):
        reason = "a form needs a body of names and values"
        return readers.FieldProblem(field=("body_format",), reason=reason)
    if "success_path" in values and not values.get("success_value"):
        return readers.FieldProblem(
            field=("success_value",), reason="must say what success_path should be"
        )
    return None


def _check_auth(values: Mapping[str, Any]) -> readers.FieldProblem | None:
    if values.get("auth") not in ("header", "query"):
        return None
    name = values.get("auth_name", "")
    if not name:
        return readers.FieldProblem(
            field=("auth_name",), reason="must name the header or the parameter"
        )
    fault = readers.explain_header_fault(name) if values["auth"] == "header" else None
    return None if fault is None else readers.FieldProblem(field=("auth_name",), reason=fault)


def _setting_problem(field: str, reason: str) -> Failure[readers.FieldProblem]:
    return Failure(readers.FieldProblem(field=(field,), reason=reason))
