"""Parse the text of a settings file into values by path."""

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidSetting

from .entries import Entry, KeyPath
from .hermes_settings import (
    Flattener,
    hermes_setting_warnings,
    is_blank_yaml_node,
    is_hermes_config,
    read_hermes_settings,
)
from .yaml_nodes import BlockNode, YamlProblem, read_yaml_document


class ParsedConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The values, whether it is a Hermes file, and warnings about likely mistakes."""

    entries: dict[KeyPath, Entry] = {}
    hermes: bool = False
    warnings: tuple[str, ...] = ()


def parse_config(text: str, file: str) -> Result[ParsedConfig, InvalidSetting]:
    """Parse a settings file; an empty one has no entries."""
    if isinstance(document := read_yaml_document(text), Failure):
        return Failure(_unreadable_config(document.failure(), file))
    if (root := document.unwrap()) is None or is_blank_yaml_node(root):
        return Success(ParsedConfig())
    if not isinstance(root, BlockNode):
        problem = YamlProblem(reason="must hold settings such as backend: NAME", line=root.line)
        return Failure(_unreadable_config(problem, file))
    hermes = is_hermes_config(root)
    flat = read_hermes_settings(root, file) if hermes else Flattener(file).flatten(root)
    warnings = hermes_setting_warnings(root, file) if hermes else ()
    return flat.map(lambda entries: ParsedConfig(entries=entries, hermes=hermes, warnings=warnings))


def _unreadable_config(problem: YamlProblem, file: str) -> InvalidSetting:
    origin = file if problem.line is None else f"{file}:{problem.line}"
    return InvalidSetting(setting="the settings file", place=origin, reason=problem.reason)
