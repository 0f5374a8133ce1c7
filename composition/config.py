"""The settings file and the environment: what may be fetched, and which browser renders.

``$WEBSEAM_CONFIG``, else ``config.yaml`` in the platform's folder, with the blocks ``fetch:`` and
``render:``. Each of their keys can also be given as ``WEBSEAM_FETCH_<KEY>`` or
``WEBSEAM_RENDER_<KEY>``, which wins; lists are separated by commas.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ..adapters.pages.settings import BrowserSettings
from ..kernel.policy import Policy, PolicySettings, make_policy
from ..ports.errors import NotConfigured
from .places import config_file

MOST_BYTES = 1024 * 1024
BLOCKS = ("fetch", "render")

Shape = TypeVar("Shape", bound=msgspec.Struct)


def read_policy(environment: Mapping[str, str]) -> Result[Policy, NotConfigured]:
    """Return the policy that file and environment describe, or the entry that cannot be read."""
    return _read_block("fetch", PolicySettings, environment).bind(make_policy)


def read_browser(environment: Mapping[str, str]) -> Result[BrowserSettings, NotConfigured]:
    """Return which browser file and environment name, or the entry that cannot be read."""
    return _read_block("render", BrowserSettings, environment)


def _read_block(
    block: str, shape: type[Shape], environment: Mapping[str, str]
) -> Result[Shape, NotConfigured]:
    path = config_file(environment)
    written = _read_file(path)
    if isinstance(written, Failure):
        return written
    listed = written.unwrap().get(block) or {}
    if not isinstance(listed, dict):
        return _refuse(block, f"{path.name} must hold blocks of settings such as fetch:")
    given = {key: value for key, value in listed.items() if value is not None}
    given.update(_from_environment(block, shape, environment))
    try:
        return Success(msgspec.convert(given, shape, strict=False))
    except msgspec.ValidationError as error:
        return _refuse(block, f"{path.name} or {_prefix(block)}*: {error}")


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
    # An empty file is the same as none.
    blocks = loaded or {}
    if not isinstance(blocks, dict):
        return _refuse("WEBSEAM_CONFIG", f"{name} must hold blocks of settings such as fetch:")
    stranger = next((key for key in blocks if key not in BLOCKS), None)
    if stranger is not None:
        return _refuse("WEBSEAM_CONFIG", f"{name} has a block {stranger!r} that is not known")
    return Success(blocks)


def _from_environment(
    block: str, shape: type[msgspec.Struct], environment: Mapping[str, str]
) -> dict[str, object]:
    given: dict[str, object] = {}
    usual = shape()
    for field in shape.__struct_fields__:
        text = environment.get(_prefix(block) + field.upper(), "").strip()
        if text:
            listed = isinstance(getattr(usual, field), tuple)
            given[field] = [part.strip() for part in text.split(",")] if listed else text
    return given


def _prefix(block: str) -> str:
    return f"WEBSEAM_{block.upper()}_"


def _refuse(setting: str, reason: str) -> Failure[NotConfigured]:
    return Failure(NotConfigured(setting=setting, reason=reason))
