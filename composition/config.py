"""The settings file and the environment: what may be fetched.

``$WEBSEAM_CONFIG``, else ``config.yaml`` in the platform's folder, with a block ``fetch:``. Each of
its keys can also be given as ``WEBSEAM_FETCH_<KEY>``, which wins; lists are separated by commas.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ..kernel.policy import Policy, PolicySettings, make_policy
from ..ports.errors import NotConfigured
from .places import config_file

MOST_BYTES = 1024 * 1024
PREFIX = "WEBSEAM_FETCH_"


def read_policy(environment: Mapping[str, str]) -> Result[Policy, NotConfigured]:
    """Return the policy that file and environment describe, or the entry that cannot be read."""
    path = config_file(environment)
    written = _read_file(path)
    if isinstance(written, Failure):
        return written
    fetch = {**written.unwrap(), **_from_environment(environment)}
    try:
        settings = msgspec.convert(fetch, PolicySettings, strict=False)
    except msgspec.ValidationError as error:
        return _refuse("fetch", f"{path.name} or {PREFIX}*: {error}")
    return make_policy(settings)


def _read_file(path: Path) -> Result[dict[str, object], NotConfigured]:
    try:
        text = path.read_bytes()[: MOST_BYTES + 1]
    except FileNotFoundError:
        return Success({})
    except OSError as error:
        return _refuse("WEBSEAM_CONFIG", f"{path.name} cannot be read: {error.strerror}")
    if len(text) > MOST_BYTES:
        return _refuse("WEBSEAM_CONFIG", f"{path.name} is larger than {MOST_BYTES} bytes")
    return _parse(text, path.name)


def _parse(text: bytes, name: str) -> Result[dict[str, object], NotConfigured]:
    import yaml  # noqa: PLC0415  only when there is a file to read

    try:
        loaded = yaml.safe_load(text)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        return _refuse("WEBSEAM_CONFIG", f"{name}{where} is not valid YAML")
    # An empty file, or an empty block, is the same as none.
    whole = loaded or {}
    fetch = (whole.get("fetch") or {}) if isinstance(whole, dict) else None
    if not isinstance(fetch, dict):
        return _refuse("fetch", f"{name} must hold blocks of settings such as fetch:")
    stranger = next((key for key in whole if key != "fetch"), None)
    if stranger is not None:
        return _refuse("WEBSEAM_CONFIG", f"{name} has a block {stranger!r} that is not known")
    return Success({key: value for key, value in fetch.items() if value is not None})


def _from_environment(environment: Mapping[str, str]) -> dict[str, object]:
    given: dict[str, object] = {}
    for field in PolicySettings.__struct_fields__:
        text = environment.get(PREFIX + field.upper(), "").strip()
        if text:
            listed = isinstance(getattr(PolicySettings(), field), tuple)
            given[field] = [part.strip() for part in text.split(",")] if listed else text
    return given


def _refuse(setting: str, reason: str) -> Failure[NotConfigured]:
    return Failure(NotConfigured(setting=setting, reason=reason))
