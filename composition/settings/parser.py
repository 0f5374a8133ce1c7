"""Parse the text of a settings file into values by path."""

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidSetting
from .entries import Entry, KeyPath
from .hermes_settings import Flattener, doubtful_name_warnings, is_blank, is_hermes, take_hermes
from .yaml_nodes import BlockNode, YamlProblem, read_document


class ParsedConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The values, whether it is a Hermes file, and warnings about likely mistakes."""

    entries: dict[KeyPath, Entry] = {}
    hermes: bool = False
    warnings: tuple[str, ...] = ()


def parse_config(text: str, file: str) -> Result[ParsedConfig, InvalidSetting]:
    """Parse a settings file; an empty one has no entries."""
    document = read_document(text)
    if isinstance(document, Failure):
        return Failure(_unreadable_config(document.failure(), file))
    root = document.unwrap()
    if root is None or is_blank(root):
        return Success(ParsedConfig())
    if not isinstance(root, BlockNode):
        problem = YamlProblem(reason="must hold settings such as backend: NAME", line=root.line)
        return Failure(_unreadable_config(problem, file))
    hermes = is_hermes(root)
    flat = take_hermes(root, file) if hermes else Flattener(file).flatten(root)
    warnings = doubtful_name_warnings(root, file) if hermes else ()
    return flat.map(lambda entries: ParsedConfig(entries=entries, hermes=hermes, warnings=warnings))


def _unreadable_config(problem: YamlProblem, file: str) -> InvalidSetting:
    origin = file if problem.line is None else f"{file}:{problem.line}"
    return InvalidSetting(setting="the settings file", place=origin, reason=problem.reason)
